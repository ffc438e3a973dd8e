package await

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// settling is how long a Service with a selector must have had endpoints, as
// upstream: every such Service costs at least that much.
const settling = 10 * time.Second

var endpointSlices = schema.GroupVersionResource{
	Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices",
}

// service holds when it selects ready Pods and, for a load balancer, has an
// address.
func service(ctx context.Context, view *view) (bool, []string, error) {
	obj := view.object
	kind, _, _ := unstructured.NestedString(obj.Object, "spec", "type")
	var reasons []string
	if kind == "LoadBalancer" && !addressed(obj) {
		reasons = append(reasons, "Service was not allocated an IP address; does your cloud provider support this?")
	}
	if selectsPods(obj, kind) {
		switch {
		case !view.hasEndpoints(ctx):
			view.settled = time.Time{}
			reasons = append(reasons, "Service does not target any Pods. Selected Pods may not be ready, "+
				"or field '.spec.selector' may not match labels on any Pods")
		case view.settled.IsZero():
			view.settled = time.Now()
		}
		if view.settled.IsZero() || time.Since(view.settled) < settling {
			reasons = append(reasons, "Finding Pods to direct traffic to")
		}
	}
	return len(reasons) == 0, reasons, nil
}

// selectsPods is false for headless, external and selectorless Services, which
// wait for no Pod.
func selectsPods(obj *unstructured.Unstructured, kind string) bool {
	selector, _, _ := unstructured.NestedStringMap(obj.Object, "spec", "selector")
	address, _, _ := unstructured.NestedString(obj.Object, "spec", "clusterIP")
	return len(selector) > 0 && address != "None" && kind != "ExternalName"
}

func (v *view) hasEndpoints(ctx context.Context) bool {
	slices := v.list(ctx, endpointSlices, "kubernetes.io/service-name="+v.object.GetName())
	for _, slice := range slices {
		endpoints, _, _ := unstructured.NestedSlice(slice.Object, "endpoints")
		for _, entry := range endpoints {
			fields, _ := entry.(map[string]any)
			if ready, found, _ := unstructured.NestedBool(fields, "conditions", "ready"); !found || ready {
				return true
			}
		}
	}
	return false
}

// ingress holds when its controller published an address.
func ingress(_ context.Context, view *view) (bool, []string, error) {
	if addressed(view.object) {
		return true, nil, nil
	}
	return false, []string{fmt.Sprintf(
		"Ingress .status.loadBalancer field was not updated with a hostname/IP address. "+
			"\n    for more information about this error, see the controller of class %q", class(view.object))}, nil
}

func class(obj *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(obj.Object, "spec", "ingressClassName")
	return name
}

func addressed(obj *unstructured.Unstructured) bool {
	addresses, _, _ := unstructured.NestedSlice(obj.Object, "status", "loadBalancer", "ingress")
	return len(addresses) > 0
}
