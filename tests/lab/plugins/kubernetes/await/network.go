package await

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// settling must pass without a change of the Endpoints of a Service with a selector, as upstream:
// every such Service costs at least that much.
const settling = 10 * time.Second

var endpoints = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}

// service holds when a load balancer has its address and, for a selector, the
// Endpoints settled without a Pod that is not ready. As upstream it does not
// need a Pod, and time that is up ends only the settling.
func service(ctx context.Context, view *view) (bool, []string, error) {
	obj := view.object
	kind, _, _ := unstructured.NestedString(obj.Object, "spec", "type")
	address, _, _ := unstructured.NestedString(obj.Object, "spec", "clusterIP")
	pods := view.endpoints(ctx)
	served := kind != "LoadBalancer" || addressed(obj)
	if !selectsPods(obj, kind) {
		pods.pending, pods.settled = false, true
	}
	view.doing = "[1/3] Finding Pods to direct traffic to"
	if pods.settled && pods.ready {
		view.doing = "[2/3] Attempting to allocate IP address to Service"
	}
	var reasons []string
	if !pods.ready && address != "None" && kind != "ExternalName" {
		reasons = append(reasons, "Service does not target any Pods. Selected Pods may not be ready, "+
			"or field '.spec.selector' may not match labels on any Pods")
	}
	if !served {
		reasons = append(reasons, "Service was not allocated an IP address; does your cloud provider support this?")
	}
	view.enough = served && !pods.pending
	return view.enough && pods.settled, reasons, nil
}

// selectsPods is false for headless, external and selectorless Services, which
// wait for no Pod.
func selectsPods(obj *unstructured.Unstructured, kind string) bool {
	selector, _, _ := unstructured.NestedStringMap(obj.Object, "spec", "selector")
	address, _, _ := unstructured.NestedString(obj.Object, "spec", "clusterIP")
	return len(selector) > 0 && address != "None" && kind != "ExternalName"
}

// targets sums up the Endpoints of a Service.
type targets struct{ ready, pending, settled bool }

// endpoints also takes the time since they changed.
func (v *view) endpoints(ctx context.Context) targets {
	found, err := v.cluster.Dynamic.Resource(endpoints).Namespace(v.object.GetNamespace()).
		Get(ctx, v.object.GetName(), metav1.GetOptions{})
	if err != nil {
		return targets{settled: v.once}
	}
	if found.GetResourceVersion() != v.version {
		v.version, v.settled = found.GetResourceVersion(), time.Now()
	}
	t := targets{settled: v.once || time.Since(v.settled) >= settling}
	subsets, _, _ := unstructured.NestedSlice(found.Object, "subsets")
	for _, subset := range subsets {
		fields, _ := subset.(map[string]any)
		ready, _, _ := unstructured.NestedSlice(fields, "addresses")
		pending, _, _ := unstructured.NestedSlice(fields, "notReadyAddresses")
		t.ready, t.pending = t.ready || len(ready) > 0, t.pending || len(pending) > 0
	}
	return t
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
