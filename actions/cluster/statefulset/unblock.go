package statefulset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientwatch "k8s.io/client-go/tools/watch"

	"strata/internal/kube/apiserver"
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

// current returns the StatefulSet once its controller has observed the newest generation. It fails
// at once if there is no StatefulSet of the name.
func current(
	ctx context.Context, client kubernetes.Interface, namespace, name string,
) (set *appsv1.StatefulSet, err error) {
	sets := client.AppsV1().StatefulSets(namespace)
	set, err = apiserver.Ask(ctx, func(ctx context.Context) (*appsv1.StatefulSet, error) {
		return sets.Get(ctx, name, metav1.GetOptions{})
	})
	if err != nil {
		return nil, fmt.Errorf("StatefulSet %s/%s: %w", namespace, name, err)
	}
	if isObserved(set) {
		return set, nil
	}
	source := apiserver.NewListWatch(client, sets, metav1.SingleObject(set.ObjectMeta))
	_, err = clientwatch.UntilWithSync(ctx, source, &appsv1.StatefulSet{}, nil,
		func(change watch.Event) (bool, error) {
			if change.Type == watch.Deleted {
				return false, errors.New("it was deleted meanwhile")
			}
			changed, ok := change.Object.(*appsv1.StatefulSet)
			set = changed
			return ok && isObserved(changed), nil
		})
	if err != nil {
		return nil, fmt.Errorf("StatefulSet %s/%s: its controller has not seen its newest "+
			"generation: %w", namespace, name, cmp.Or(ctx.Err(), err))
	}
	return set, nil
}

func isObserved(set *appsv1.StatefulSet) bool {
	return set.Status.ObservedGeneration >= set.Generation && set.Status.UpdateRevision != ""
}
