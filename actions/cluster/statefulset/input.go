package statefulset

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Input is read from stdin by `strata unblock`.
type Input struct {
	Namespace string `json:"namespace"`
	// Revision makes the step run again when it changes; it is not read.
	Revision string `json:"revision"`
	// StatefulSet is the name of the one whose broken Pods are deleted.
	StatefulSet string `json:"statefulSet"`
	// Timeout bounds the step.
	Timeout metav1.Duration `json:"timeout"`
}
