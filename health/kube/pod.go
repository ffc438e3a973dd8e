package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// PodReady reports whether a Pod is Ready and is not being deleted.
func PodReady(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil &&
		slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
}
