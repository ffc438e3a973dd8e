package await

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// builtin is the rule of a kind, nil for the kinds that are ready once stored:
// definitions, custom resources, webhooks, namespaces, config maps, RBAC.
func builtin(obj *unstructured.Unstructured) rule {
	switch obj.GetAPIVersion() + "/" + obj.GetKind() {
	case "apps/v1/Deployment":
		return deployment
	case "apps/v1/StatefulSet":
		return statefulSet
	case "apps/v1/DaemonSet":
		return daemonSet
	case "batch/v1/Job":
		return job
	case "v1/Pod":
		return pod
	case "v1/Service":
		return service
	case "networking.k8s.io/v1/Ingress":
		return ingress
	case "v1/PersistentVolumeClaim":
		return phase("Bound")
	case "v1/PersistentVolume":
		return phase("Available", "Bound")
	case "v1/ReplicationController":
		return replicas
	}
	return nil
}

// checkedOnRead lists the kinds that a refresh looks at.
func checkedOnRead(obj *unstructured.Unstructured) bool {
	switch obj.GetKind() {
	case "Deployment", "StatefulSet", "DaemonSet", "Service", "Ingress", "Pod", "Job":
		return true
	}
	return false
}

func phase(wanted ...string) rule {
	return func(_ context.Context, view *view) (bool, []string, error) {
		now, _, _ := unstructured.NestedString(view.object.Object, "status", "phase")
		for _, want := range wanted {
			if now == want {
				return true, nil, nil
			}
		}
		return false, []string{fmt.Sprintf("phase is %q, expected %v", now, wanted)}, nil
	}
}

func replicas(_ context.Context, view *view) (bool, []string, error) {
	want := number(view.object, 1, "spec", "replicas")
	have := number(view.object, 0, "status", "availableReplicas")
	if observed(view.object) && have == want {
		return true, nil, nil
	}
	return false, []string{fmt.Sprintf("%d of %d replicas available", have, want)}, nil
}

// number reads an integer field, or what it is when absent.
func number(obj *unstructured.Unstructured, absent int64, fields ...string) int64 {
	if value, found, err := unstructured.NestedInt64(obj.Object, fields...); found && err == nil {
		return value
	}
	return absent
}

// find returns the condition of a type; nil if there is none.
func find(obj *unstructured.Unstructured, name string) map[string]any {
	for _, entry := range conditions(obj) {
		if text(entry, "type") == name {
			return entry
		}
	}
	return nil
}

func explain(entry map[string]any) string {
	return fmt.Sprintf("%s: %s (%s)", text(entry, "type"), text(entry, "message"), text(entry, "reason"))
}
