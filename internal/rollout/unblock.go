package rollout

import (
	"context"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"
)

// Unblock deletes the Pods of a StatefulSet that are of an earlier revision and not Ready. Such a Pod serves nobody, and its
// successor is of the newest revision. It waits until the controller has said which that is, and reports on progress.
func Unblock(ctx context.Context, client kubernetes.Interface, namespace, name string, progress io.Writer) error {
	set, err := current(ctx, client, namespace, name)
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(set.Spec.Selector)})
	if err != nil {
		return fmt.Errorf("Pods of StatefulSet %s/%s: %w", namespace, name, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !metav1.IsControlledBy(pod, set) || !blocks(pod, set.Status.UpdateRevision) {
			continue
		}
		_, _ = fmt.Fprintf(progress, "Pod %s/%s is broken and of an earlier revision: deleting it, so that the next one comes\n", namespace, pod.Name) // people may not be listening
		err := client.CoreV1().Pods(namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("delete Pod %s/%s: %w", namespace, pod.Name, err)
		}
	}
	return nil
}

// blocks is true for a Pod of an earlier revision that is not Ready and stays.
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

// current is the StatefulSet once its controller has seen its newest generation.
func current(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.StatefulSet, error) {
	only := "metadata.name=" + name
	sets := client.AppsV1().StatefulSets(namespace)
	lister := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = only
			return sets.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = only
			return sets.Watch(ctx, options)
		},
	}
	event, err := clientwatch.UntilWithSync(ctx, lister, &appsv1.StatefulSet{}, nil, func(event watch.Event) (bool, error) {
		set, ok := event.Object.(*appsv1.StatefulSet)
		return ok && set.Status.ObservedGeneration >= set.Generation && set.Status.UpdateRevision != "", nil
	})
	if err != nil {
		return nil, fmt.Errorf("StatefulSet %s/%s: its controller has not seen its newest generation: %w", namespace, name, err)
	}
	return event.Object.(*appsv1.StatefulSet), nil
}
