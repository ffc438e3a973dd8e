package statefulset

import (
	"context"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// unblock deletes the Pods of a StatefulSet that have an earlier revision and are not Ready; the
// controller recreates them with the newest one. It first waits until the controller has published
// the newest revision. progress gets a line for each deleted Pod.
func unblock(
	ctx context.Context, client kubernetes.Interface, namespace, name string, progress io.Writer,
) error {
	set, err := current(ctx, client, namespace, name)
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods(namespace).List(ctx,
		metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)})
	if err != nil {
		return fmt.Errorf("Pods of StatefulSet %s/%s: %w", namespace, name, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !metav1.IsControlledBy(pod, set) || !blocks(pod, set.Status.UpdateRevision) {
			continue
		}
		// Errors of the progress output are ignored.
		_, _ = fmt.Fprintf(progress, "Pod %s/%s is broken and of an earlier revision: deleting it, so that the next one comes\n", namespace, pod.Name)
		err := client.CoreV1().Pods(namespace).Delete(ctx, pod.Name,
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("delete Pod %s/%s: %w", namespace, pod.Name, err)
		}
	}
	return nil
}

// blocks reports whether a Pod has an earlier revision, is not Ready, and is not terminating.
func blocks(pod *corev1.Pod, newest string) bool {
	if pod.DeletionTimestamp != nil || pod.Labels[appsv1.ControllerRevisionHashLabelKey] == newest {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status != corev1.ConditionTrue
		}
	}
	return true
}

// current returns the StatefulSet once its controller has observed the newest generation. It starts
// the watch before the read, so that it misses no change.
func current(
	ctx context.Context, client kubernetes.Interface, namespace, name string,
) (*appsv1.StatefulSet, error) {
	sets := client.AppsV1().StatefulSets(namespace)
	for {
		changes, err := sets.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return nil, fmt.Errorf("watch StatefulSet %s/%s: %w", namespace, name, err)
		}
		set, err := sets.Get(ctx, name, metav1.GetOptions{})
		if err == nil && !isObserved(set) {
			set, err = firstObserved(ctx, changes.ResultChan())
		}
		changes.Stop()
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("StatefulSet %s/%s: its controller has not seen its newest "+
				"generation: %w", namespace, name, ctx.Err())
		case err != nil:
			return nil, fmt.Errorf("StatefulSet %s/%s: %w", namespace, name, err)
		case set != nil:
			return set, nil
		}
	}
}

// firstObserved waits for a change of the StatefulSet after which its status is for the newest
// generation. It returns nil if the watch ends first.
func firstObserved(ctx context.Context, changes <-chan watch.Event) (*appsv1.StatefulSet, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case change, open := <-changes:
			if !open {
				return nil, nil
			}
			if set, ok := change.Object.(*appsv1.StatefulSet); ok && isObserved(set) {
				return set, nil
			}
		}
	}
}

func isObserved(set *appsv1.StatefulSet) bool {
	return set.Status.ObservedGeneration >= set.Generation && set.Status.UpdateRevision != ""
}
