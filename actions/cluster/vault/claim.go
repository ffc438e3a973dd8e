package vault

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	// nudged is an annotation of volume claims: the time of its last change. A change makes the
	// scheduler retry.
	nudged = "strata/shown-to-scheduler"
	// nudgePause is the minimum time between two annotations of a claim, so that the scheduler can
	// try the Pod in between.
	nudgePause = 5 * time.Second
)

// nudge annotates the claims of a Pod that the scheduler cannot schedule although they are bound.
// The scheduler's queue and its volume cache are updated separately. If it tries a Pod before the
// cache has the volume, it retries only after five minutes (podMaxInUnschedulablePodsDuration), or
// when the claim changes (kubernetes/kubernetes#125762).
func nudge(
	ctx context.Context, cluster kubernetes.Interface, pod *corev1.Pod, now time.Time,
) error {
	if !unschedulable(pod) {
		return nil
	}
	var due []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		claim, err := cluster.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx,
			volume.PersistentVolumeClaim.ClaimName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if claim.Status.Phase != corev1.ClaimBound {
			return nil
		}
		last, err := time.Parse(time.RFC3339, claim.Annotations[nudged])
		if err != nil || now.Sub(last) >= nudgePause {
			due = append(due, claim.Name)
		}
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"annotations": map[string]string{
			nudged: now.UTC().Format(time.RFC3339)}}})
	if err != nil {
		return err
	}
	for _, name := range due {
		_, err := cluster.CoreV1().PersistentVolumeClaims(pod.Namespace).Patch(ctx, name,
			types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "strata"})
		if err != nil {
			return err
		}
	}
	return nil
}

// unschedulable reports whether the Pod's condition PodScheduled is false because it is
// unschedulable.
func unschedulable(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return condition.Status == corev1.ConditionFalse &&
				condition.Reason == corev1.PodReasonUnschedulable
		}
	}
	return false
}
