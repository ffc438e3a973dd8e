package main

import (
	"context"
	"errors"
	"net"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statuses updates the finalizers and statuses of all objects.
func (c *controller) statuses(ctx context.Context) error {
	var failures []error
	for _, class := range c.all(classes) {
		if text(class, "spec", "controllerName") == controllerName {
			failures = append(failures, c.class(ctx, class))
		}
	}
	for _, resource := range []schema.GroupVersionResource{gateways, httpRoutes, apisixRoutes,
		pluginConfigs, apisixTLS, consumers} {
		for _, one := range c.all(resource) {
			if status := c.statusOf(resource, one); status != nil {
				failures = append(failures, c.write(ctx, resource, one, status))
			}
		}
	}
	return errors.Join(failures...)
}

// statusOf returns the status that an object should have; nil if the object belongs to another
// controller. testdata/statuses.yaml has upstream's statuses.
func (c *controller) statusOf(resource schema.GroupVersionResource, o object) map[string]any {
	switch resource {
	case classes:
		return conditions(accepted(o, "the gatewayclass has been accepted by the apisix-ingress-controller"))
	case gateways:
		if slices.Contains(c.ours(), o) {
			return c.gatewayStatus(o)
		}
		return nil
	case httpRoutes:
		return c.routeStatus(o)
	}
	if !c.mine(o) {
		return nil
	}
	switch err := c.invalid(resource, o); {
	case resource == consumers && err != nil:
		return conditions(condition(o, "Available", "False", "ResourceSyncAbort", err.Error()))
	case resource == consumers:
		return conditions(condition(o, "Available", "True", "ResourceSynced", "Successfully"))
	case err != nil:
		return conditions(condition(o, "Accepted", "False", "InvalidSpec", err.Error()))
	case resource == apisixTLS:
		return conditions(accepted(o, "The apisix tls has been accepted and synced to APISIX"))
	}
	return conditions(accepted(o, ""))
}

// class updates the finalizer and the status of a GatewayClass. The finalizer keeps the
// GatewayClass while a Gateway uses it.
func (c *controller) class(ctx context.Context, class object) error {
	held := slices.Contains(class.GetFinalizers(), finalizer)
	used := slices.ContainsFunc(c.all(gateways),
		func(g object) bool { return text(g, "spec", "gatewayClassName") == class.GetName() })
	changed := class.DeepCopy()
	switch deleting := class.GetDeletionTimestamp() != nil; {
	case deleting && held && !used:
		changed.SetFinalizers(slices.DeleteFunc(changed.GetFinalizers(), func(f string) bool { return f == finalizer }))
	case !deleting && !held:
		changed.SetFinalizers(append(changed.GetFinalizers(), finalizer))
	case deleting:
		return nil
	default:
		return c.write(ctx, classes, class, c.statusOf(classes, class))
	}
	_, err := c.client.Resource(classes).Update(ctx, changed, metav1.UpdateOptions{})
	return late(err)
}

// ours returns the Gateways whose class belongs to this controller.
func (c *controller) ours() []object {
	var found []object
	for _, gateway := range c.all(gateways) {
		class := c.get(classes, "", text(gateway, "spec", "gatewayClassName"))
		if class != nil && text(class, "spec", "controllerName") == controllerName {
			found = append(found, gateway)
		}
	}
	return found
}

// gatewayStatus returns the status of a Gateway. Like upstream, it always sets Programmed to
// True. Only Accepted reports the real state.
func (c *controller) gatewayStatus(gateway object) map[string]any {
	taken := accepted(gateway, "the gateway has been accepted by the apisix-ingress-controller")
	named := text(gateway, "spec", "infrastructure", "parametersRef", "name")
	proxy, status := c.proxyOf(gateway), map[string]any{}
	switch {
	case named == "":
		taken = condition(gateway, "Accepted", "False", "Pending", "gateway proxy not found")
	case proxy == nil:
		taken = condition(gateway, "Accepted", "False", "InvalidParameters", "gateway proxy not found")
	default:
		if err := c.unusable(gateway.GetNamespace(), named); err != nil {
			taken = condition(gateway, "Accepted", "False", "Accepted", err.Error()) // the reason of upstream
		}
		if given := statusAddresses(proxy); len(given) > 0 {
			status["addresses"] = given
		}
	}
	var listeners []any
	for _, listener := range list(gateway.Object, "spec", "listeners") {
		listeners = append(listeners, c.listenerStatus(gateway, listener))
	}
	status["listeners"] = listeners
	status["conditions"] = []any{taken, condition(gateway, "Programmed", "True", "Programmed", "Programmed")}
	return status
}

// statusAddresses returns the addresses that a GatewayProxy sets in the status of its Gateways.
func statusAddresses(proxy object) []any {
	var found []any
	for _, address := range texts(proxy.Object, "spec", "statusAddress") {
		kind := "IPAddress"
		if net.ParseIP(address) == nil {
			kind = "Hostname"
		}
		found = append(found, map[string]any{"type": kind, "value": address})
	}
	return found
}

func (c *controller) listenerStatus(gateway object, listener map[string]any) map[string]any {
	name, _ := listener["name"].(string)
	resolved := condition(gateway, "ResolvedRefs", "True", "ResolvedRefs", "")
	programmed := condition(gateway, "Programmed", "True", "Programmed", "")
	if listener["tls"] != nil && c.pairOf(gateway, listener) == nil {
		resolved = condition(gateway, "ResolvedRefs", "False", "InvalidCertificateRef",
			"Secret not found or without a key pair")
		programmed = condition(gateway, "Programmed", "False", "Invalid", "")
	}
	var kinds []any
	for _, kind := range []string{"GRPCRoute", "HTTPRoute"} {
		kinds = append(kinds, map[string]any{"group": "gateway.networking.k8s.io", "kind": kind})
	}
	return map[string]any{
		"name": name, "attachedRoutes": int64(c.attached(gateway, name)), "supportedKinds": kinds,
		"conditions": []any{programmed, condition(gateway, "Accepted", "True", "Accepted", ""),
			condition(gateway, "Conflicted", "False", "NoConflicts", ""), resolved},
	}
}

func conditions(all ...any) map[string]any { return map[string]any{"conditions": all} }

func accepted(o object, message string) map[string]any {
	return condition(o, "Accepted", "True", "Accepted", message)
}

func condition(o object, kind, status, reason, message string) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": reason, "message": message,
		"observedGeneration": o.GetGeneration(), "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

// write updates an object's status, unless only times would change.
func (c *controller) write(ctx context.Context, resource schema.GroupVersionResource, o object,
	status map[string]any) error {
	old, _, _ := unstructured.NestedMap(o.Object, "status")
	if reflect.DeepEqual(timeless(old), timeless(status)) {
		return nil
	}
	changed := o.DeepCopy()
	changed.Object["status"] = status
	_, err := c.client.Resource(resource).Namespace(o.GetNamespace()).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	return late(err)
}

// late returns nil for conflicts and missing objects, because the next reconciliation handles them.
func late(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// timeless returns a copy of a value without times.
func timeless(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		copied := map[string]any{}
		for key, inner := range typed {
			if key != "lastTransitionTime" {
				copied[key] = timeless(inner)
			}
		}
		return copied
	case []any:
		copied := []any{}
		for _, inner := range typed {
			copied = append(copied, timeless(inner))
		}
		return copied
	default:
		return value
	}
}
