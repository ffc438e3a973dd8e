package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// routeStatus is nil for a route of another controller's Gateways. The original names a parent by
// its Gateway alone, without the section.
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
			// Of no listener the original has no host name either, and that is told last
			// (internal/controller/utils.go, filterHostnames).
			taken = condition(route, "Accepted", "False", "NoMatchingListenerHostname", "")
		} else if len(listeners) == 0 {
			taken = condition(route, "Accepted", "False", reason, "")
		} else if err := c.unreachable(ours...); err != nil {
			// The reason is the original's (internal/controller/utils.go,
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

// unreachable returns the reason why the data planes of an object's Gateways cannot be asked. A
// Gateway that names none has nothing to be asked.
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

// parents returns the Gateways that a route names, ours only, and whether one of them has a
// listener for it.
func (c *controller) parents(route object) (found []object, attached bool) {
	for _, ref := range list(route.Object, "spec", "parentRefs") {
		if gateway := c.parent(route, ref); gateway != nil {
			names, _ := listenersOf(gateway, route, ref)
			found, attached = append(found, gateway), attached || len(names) > 0
		}
	}
	return found, attached
}

// unusable returns the reason why a GatewayProxy leads nowhere: it does not exist, or its key's
// Secret or its Service does not.
func (c *controller) unusable(namespace, name string) error {
	proxy, err := c.needed(proxies, namespace, name)
	if err == nil {
		_, err = c.request(proxy)
	}
	return err
}

// resolved reports of a route whether the Services and ports that it leads to exist; the last
// missing one counts. A missing port has no reason of its own in the original
// (internal/controller/httproute_controller.go, processHTTPRouteBackendRefs).
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
// configuration is accepted whatever it says.
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

// attached counts the routes of a listener that the controller has accepted there, by each fitting
// parentRef.
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

// told reports whether a route's status names a Gateway.
func told(route, gateway object) bool {
	return slices.ContainsFunc(list(route.Object, "status", "parents"), func(parent map[string]any) bool {
		namespace, _, _ := unstructured.NestedString(parent, "parentRef", "namespace")
		name, _, _ := unstructured.NestedString(parent, "parentRef", "name")
		return namespace == gateway.GetNamespace() && name == gateway.GetName()
	})
}

// listenersOf returns the names of a Gateway's listeners to which a parentRef attaches a route.
// Where there are none, reason is the original's (internal/controller/utils.go,
// ParseRouteParentRefs). A selector of namespaces is taken to fit: nothing here uses one.
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

// carriesHTTP reports whether a listener serves HTTPRoutes.
func carriesHTTP(listener map[string]any) bool {
	mode, _, _ := unstructured.NestedString(listener, "tls", "mode")
	return listener["protocol"] == "HTTP" || listener["protocol"] == "HTTPS" &&
		listener["tls"] != nil && (mode == "" || mode == "Terminate")
}

// share reports whether a listener's host name and those of a route have one in common; none is
// any.
func share(listener string, hosts []string) bool {
	covers := func(mask, host string) bool {
		return mask == host || strings.HasPrefix(mask, "*.") && strings.HasSuffix(host, mask[1:])
	}
	return listener == "" || len(hosts) == 0 || slices.ContainsFunc(hosts,
		func(host string) bool { return covers(listener, host) || covers(host, listener) })
}
