package await

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The annotations that steer a wait.
const (
	skipAwait   = "pulumi.com/skipAwait"
	waitFor     = "pulumi.com/waitFor"
	timeoutKey  = "pulumi.com/timeoutSeconds"
	propagation = "pulumi.com/deletionPropagationPolicy"
)

const defaultTimeout = 10 * time.Minute

// Skipped says whether the inputs ask for no waiting.
func Skipped(inputs *unstructured.Unstructured) bool {
	return inputs.GetAnnotations()[skipAwait] == "true"
}

// Timeout is the resource option in seconds, else the annotation, else 10 min.
func Timeout(seconds float64, inputs *unstructured.Unstructured) time.Duration {
	if seconds != 0 {
		return time.Duration(seconds * float64(time.Second))
	}
	if value, err := strconv.Atoi(inputs.GetAnnotations()[timeoutKey]); err == nil {
		return time.Duration(value) * time.Second
	}
	return defaultTimeout
}

// Propagation returns the way in which the dependents of a deleted object go; foreground unless its
// annotation says otherwise.
func Propagation(inputs *unstructured.Unstructured) metav1.DeletionPropagation {
	switch strings.ToLower(inputs.GetAnnotations()[propagation]) {
	case "orphan":
		return metav1.DeletePropagationOrphan
	case "background":
		return metav1.DeletePropagationBackground
	default:
		return metav1.DeletePropagationForeground
	}
}

// skipsDelete lists the kinds for which skipAwait also skips the wait for
// deletion.
func skipsDelete(inputs *unstructured.Unstructured) bool {
	if !Skipped(inputs) {
		return false
	}
	switch inputs.GetAPIVersion() + "/" + inputs.GetKind() {
	case "v1/Namespace", "v1/Pod", "v1/ReplicationController",
		"apps/v1/DaemonSet", "apps/v1/Deployment", "apps/v1/StatefulSet", "batch/v1/Job":
		return true
	}
	return false
}
