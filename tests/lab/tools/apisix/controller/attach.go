package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// routeStatus returns the status of an HTTPRoute; nil if no Gateway of this controller is its
// parent. Like upstream, it names only the Gateway of a parentRef and not its section.
func (c *controller) routeStatus(route object) map[string]any {
	var parents []any
	ours, attached := c.parents(route)
	for _, ref := range list(route.Object, "spec", "parentRefs") {
		gateway := c.parent(route, ref)
		if gateway == nil {
			continue
		}
		taken := accepted(route, "")
		if listeners, reason := listenersOf(gateway, route, ref); !attached &&
			len(texts(route.Object, "spec", "hostnames")) > 0 {
			// If no listener matches, upstream also finds no matching host name, and reports this
			// as the last reason (internal/controller/utils.go, filterHostnames).
			taken = condition(route, "Accepted", "False", "NoMatchingListenerHostname", "")
		} else if len(listeners) == 0 {
			taken = condition(route, "Accepted", "False", reason, "")
		} else if err := c.unreachable(ours...); err != nil {
			// Upstream uses the reason "Accepted" here (internal/controller/utils.go,
			// SetRouteConditionAccepted).
			taken = condition(route, "Accepted", "False", "Accepted", err.Error())
		}
		parents = append(parents, map[string]any{
			"parentRef": map[string]any{
				"group": gateways.Group, "kind": "Gateway", "namespace": gateway.GetNamespace(),
				"name": gateway.GetName(),
			},
			"controllerName": controllerName, "conditions": []any{taken, c.resolved(route)},
		})
	}
	if len(parents) == 0 {
		return nil
	}
	return map[string]any{"parents": parents}
}

// unreachable returns an error if the data plane of one of the Gateways cannot be configured. It
// ignores Gateways that name no GatewayProxy.
func (c *controller) unreachable(of ...object) error {
	for _, gateway := range of {
		if named := text(gateway, "spec", "infrastructure", "parametersRef", "name"); named != "" {
			if err := c.unusable(gateway.GetNamespace(), named); err != nil {
				return err
			}
		}
	}
	return nil
}

// parents returns the Gateways of this controller that a route names, and reports whether one of
// them has a listener for the route.
func (c *controller) parents(route object) (found []object, attached bool) {
	for _, ref := range list(route.Object, "spec", "parentRefs") {
		if gateway := c.parent(route, ref); gateway != nil {
			names, _ := listenersOf(gateway, route, ref)
			found, attached = append(found, gateway), attached || len(names) > 0
		}
	}
	return found, attached
}

// unusable returns an error if a GatewayProxy, the Secret with its key, or its Service does not
// exist.
func (c *controller) unusable(namespace, name string) error {
	proxy, err := c.needed(proxies, namespace, name)
	if err == nil {
		_, err = c.request(proxy)
	}
	return err
}

// resolved returns the condition ResolvedRefs of a route: whether its Services and ports exist. If
// several are missing, it reports the last. Like upstream, it has no reason of its own for a
// missing port (internal/controller/httproute_controller.go, processHTTPRouteBackendRefs).
func (c *controller) resolved(route object) map[string]any {
	found := condition(route, "ResolvedRefs", "True", "ResolvedRefs", "backendRefs are resolved")
	for _, rule := range list(route.Object, "spec", "rules") {
		for _, backend := range list(rule, "backendRefs") {
			name, _ := backend["name"].(string)
			number, _ := backend["port"].(int64)
			service := c.get(services, route.GetNamespace(), name)
			if service == nil {
				found = condition(route, "ResolvedRefs", "False", "BackendNotFound",
					fmt.Sprintf("Service %s/%s not found", route.GetNamespace(), name))
			} else if !slices.ContainsFunc(list(service.Object, "spec", "ports"),
				func(port map[string]any) bool { return port["port"] == number }) {
				found = condition(route, "ResolvedRefs", "False", "ResolvedRefs",
					fmt.Sprintf("port %d not found in service %s", number, name))
			}
		}
	}
	return found
}

// invalid returns the reason why an object of APISIX's own kinds is not accepted. A plugin
// configuration is always accepted.
func (c *controller) invalid(resource schema.GroupVersionResource, o object) error {
	switch resource {
	case pluginConfigs:
		return nil
	case consumers:
		ref, _, _ := unstructured.NestedMap(o.Object, "spec", "gatewayRef")
		return c.unreachable(c.parent(o, ref))
	}
	class := c.get(ingressClass, "", text(o, "spec", "ingressClassName"))
	if named := text(class, "spec", "parameters", "name"); named != "" {
		if err := c.unusable(text(class, "spec", "parameters", "namespace"), named); err != nil {
			return err
		}
	}
	_, err := c.alone(o)
	return err
}

// attached returns the number of accepted routes at a Gateway's listener. A route counts once for
// each matching parentRef.
func (c *controller) attached(gateway object, listener string) int {
	count := 0
	for _, route := range c.all(httpRoutes) {
		if !told(route, gateway) {
			continue
		}
		for _, ref := range list(route.Object, "spec", "parentRefs") {
			if parent := c.parent(route, ref); parent == nil || parent.GetUID() != gateway.GetUID() {
				continue
			}
			if names, _ := listenersOf(gateway, route, ref); slices.Contains(names, listener) {
				count++
			}
		}
	}
	return count
}

// told reports whether a route's status has a parent entry for a Gateway.
func told(route, gateway object) bool {
	return slices.ContainsFunc(list(route.Object, "status", "parents"), func(parent map[string]any) bool {
		namespace, _, _ := unstructured.NestedString(parent, "parentRef", "namespace")
		name, _, _ := unstructured.NestedString(parent, "parentRef", "name")
		return namespace == gateway.GetNamespace() && name == gateway.GetName()
	})
}

// listenersOf returns the names of the Gateway's listeners to which a parentRef attaches a route.
// If there are none, reason is upstream's (internal/controller/utils.go, ParseRouteParentRefs).
// It assumes that a namespace selector matches, because no Gateway here uses one.
func listenersOf(gateway, route object, ref map[string]any) (names []string, reason string) {
	section, _ := ref["sectionName"].(string)
	port, _ := ref["port"].(int64)
	var otherHost, notAllowed bool
	for _, listener := range list(gateway.Object, "spec", "listeners") {
		name, _ := listener["name"].(string)
		number, _ := listener["port"].(int64)
		host, _ := listener["hostname"].(string)
		from, _, _ := unstructured.NestedString(listener, "allowedRoutes", "namespaces", "from")
		switch {
		case section != "" && section != name || port != 0 && port != number:
		case !carriesHTTP(listener), from == "Same" && route.GetNamespace() != gateway.GetNamespace():
			notAllowed = true
		case !share(host, texts(route.Object, "spec", "hostnames")):
			otherHost = true
		default:
			names = append(names, name)
		}
	}
	switch {
	case otherHost:
		return names, "NoMatchingListenerHostname"
	case notAllowed:
		return names, "NotAllowedByListeners"
	}
	return names, "NoMatchingParent"
}

// carriesHTTP reports whether a listener accepts HTTPRoutes.
func carriesHTTP(listener map[string]any) bool {
	mode, _, _ := unstructured.NestedString(listener, "tls", "mode")
	return listener["protocol"] == "HTTP" || listener["protocol"] == "HTTPS" &&
		listener["tls"] != nil && (mode == "" || mode == "Terminate")
}

// share reports whether a listener's host name and a route's host names have one in common. An
// empty host name or list matches any host.
func share(listener string, hosts []string) bool {
	covers := func(mask, host string) bool {
		return mask == host || strings.HasPrefix(mask, "*.") && strings.HasSuffix(host, mask[1:])
	}
	return listener == "" || len(hosts) == 0 || slices.ContainsFunc(hosts,
		func(host string) bool { return covers(listener, host) || covers(host, listener) })
}
