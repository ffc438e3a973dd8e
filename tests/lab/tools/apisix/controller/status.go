package main

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statuses brings finalizers and statuses of everything up to date.
func (c *controller) statuses(ctx context.Context) error {
	var failures []error
	for _, class := range c.all(classes) {
		if text(class, "spec", "controllerName") == controllerName {
			failures = append(failures, c.class(ctx, class))
		}
	}
	for _, gateway := range c.ours() {
		failures = append(failures, c.write(ctx, gateways, gateway, c.gatewayStatus(gateway)))
	}
	for _, route := range c.all(httpRoutes) {
		if status := c.routeStatus(route); status != nil {
			failures = append(failures, c.write(ctx, httpRoutes, route, status))
		}
	}
	for _, resource := range []schema.GroupVersionResource{apisixRoutes, pluginConfigs, apisixTLS, consumers} {
		for _, one := range c.all(resource) {
			if c.mine(one) {
				failures = append(failures, c.write(ctx, resource, one, map[string]any{"conditions": []any{accepted(one)}}))
			}
		}
	}
	return errors.Join(failures...)
}

// class keeps a GatewayClass from going while a Gateway is of it.
func (c *controller) class(ctx context.Context, class object) error {
	held := slices.Contains(class.GetFinalizers(), finalizer)
	used := slices.ContainsFunc(c.all(gateways), func(g object) bool { return text(g, "spec", "gatewayClassName") == class.GetName() })
	changed := class.DeepCopy()
	switch deleting := class.GetDeletionTimestamp() != nil; {
	case deleting && held && !used:
		changed.SetFinalizers(slices.DeleteFunc(changed.GetFinalizers(), func(f string) bool { return f == finalizer }))
	case !deleting && !held:
		changed.SetFinalizers(append(changed.GetFinalizers(), finalizer))
	case deleting:
		return nil
	default:
		return c.write(ctx, classes, class, map[string]any{"conditions": []any{accepted(class)}})
	}
	_, err := c.client.Resource(classes).Update(ctx, changed, metav1.UpdateOptions{})
	return late(err)
}

// ours are the Gateways of our classes.
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

// gatewayStatus says Programmed in every case, as the original does; Accepted is what tells.
func (c *controller) gatewayStatus(gateway object) map[string]any {
	taken := accepted(gateway)
	proxy := c.proxyOf(gateway)
	status := map[string]any{}
	if proxy == nil {
		taken = condition(gateway, "Accepted", "False", "InvalidParameters", "gateway proxy not found")
	} else if addresses := texts(proxy.Object, "spec", "statusAddress"); len(addresses) > 0 {
		var list []any
		for _, address := range addresses {
			list = append(list, map[string]any{"type": "IPAddress", "value": address})
		}
		status["addresses"] = list
	}
	var listeners []any
	for _, listener := range list(gateway.Object, "spec", "listeners") {
		name, _ := listener["name"].(string)
		resolved := condition(gateway, "ResolvedRefs", "True", "ResolvedRefs", "")
		programmed := condition(gateway, "Programmed", "True", "Programmed", "")
		if listener["tls"] != nil && c.pairOf(gateway, listener) == nil {
			resolved = condition(gateway, "ResolvedRefs", "False", "InvalidCertificateRef", "Secret not found or without a key pair")
			programmed = condition(gateway, "Programmed", "False", "Invalid", "")
		}
		listeners = append(listeners, map[string]any{
			"name": name, "attachedRoutes": int64(c.attached(gateway, name)),
			"supportedKinds": []any{map[string]any{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"}},
			"conditions":     []any{condition(gateway, "Accepted", "True", "Accepted", ""), resolved, programmed, condition(gateway, "Conflicted", "False", "NoConflicts", "")},
		})
	}
	status["listeners"] = listeners
	status["conditions"] = []any{taken, condition(gateway, "Programmed", "True", "Programmed", "Programmed")}
	return status
}

// routeStatus is nil for a route of nobody we know.
func (c *controller) routeStatus(route object) map[string]any {
	var parents []any
	for _, ref := range list(route.Object, "spec", "parentRefs") {
		if c.parent(route, ref) == nil {
			continue
		}
		resolved := condition(route, "ResolvedRefs", "True", "ResolvedRefs", "")
		if missing := c.missingBackend(route); missing != "" {
			resolved = condition(route, "ResolvedRefs", "False", "BackendNotFound", "Service "+missing+" not found")
		}
		parents = append(parents, map[string]any{
			"parentRef": ref, "controllerName": controllerName, "conditions": []any{accepted(route), resolved},
		})
	}
	if len(parents) == 0 {
		return nil
	}
	return map[string]any{"parents": parents}
}

func accepted(o object) map[string]any {
	return condition(o, "Accepted", "True", "Accepted", "the object has been accepted by the controller")
}

func condition(o object, kind, status, reason, message string) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": reason, "message": message,
		"observedGeneration": o.GetGeneration(), "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

// write writes a status that says something else than the last one; times are no news.
func (c *controller) write(ctx context.Context, resource schema.GroupVersionResource, o object, status map[string]any) error {
	old, _, _ := unstructured.NestedMap(o.Object, "status")
	if reflect.DeepEqual(timeless(old), timeless(status)) {
		return nil
	}
	changed := o.DeepCopy()
	changed.Object["status"] = status
	_, err := c.client.Resource(resource).Namespace(o.GetNamespace()).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	return late(err)
}

// late leaves out that the object has changed or gone meanwhile: the next look sees it.
func late(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// timeless is a copy of a value without times, and without what the API server adds for empty texts.
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
