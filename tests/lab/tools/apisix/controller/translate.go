package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/tools/apisix/admin"
)

// translate is what the data plane of a GatewayProxy is told.
func (c *controller) translate(proxy object) admin.Config {
	sent := admin.Config{Routes: []admin.Route{}, Upstreams: []admin.Upstream{}, SSLs: []admin.SSL{}, Consumers: []admin.Consumer{}, GlobalRules: []admin.GlobalRule{{Plugins: map[string]any{}}}}
	for _, plugin := range list(proxy.Object, "spec", "plugins") {
		if on, _ := plugin["enabled"].(bool); on {
			name, _ := plugin["name"].(string)
			sent.GlobalRules[0].Plugins[name] = plugin["config"]
		}
	}
	for _, gateway := range c.ours() {
		if used := c.proxyOf(gateway); used == nil || used.GetUID() != proxy.GetUID() {
			continue
		}
		for _, listener := range list(gateway.Object, "spec", "listeners") {
			if pair := c.pairOf(gateway, listener); pair != nil {
				sent.SSLs = append(sent.SSLs, *pair)
			}
		}
	}
	for _, route := range c.all(httpRoutes) {
		if c.routeStatus(route) != nil {
			c.httpRoute(route, &sent)
		}
	}
	for _, one := range c.all(apisixTLS) {
		pair := c.pair(text(one, "spec", "secret", "namespace"), text(one, "spec", "secret", "name"))
		if c.mine(one) && pair != nil {
			pair.SNIs = texts(one.Object, "spec", "hosts")
			sent.SSLs = append(sent.SSLs, *pair)
		}
	}
	for _, route := range c.all(apisixRoutes) {
		if c.mine(route) {
			sent.Routes = append(sent.Routes, c.apisixRoute(route)...)
		}
	}
	for _, consumer := range c.all(consumers) {
		if c.mine(consumer) {
			sent.Consumers = append(sent.Consumers, c.consumer(consumer))
		}
	}
	return sent
}

// httpRoute adds one route for each rule, and the upstreams that it needs beside its own.
func (c *controller) httpRoute(o object, sent *admin.Config) {
	for i, rule := range list(o.Object, "spec", "rules") {
		route := admin.Route{ID: fmt.Sprintf("%s_%s_%d", o.GetNamespace(), o.GetName(), i), Hosts: texts(o.Object, "spec", "hostnames"), Plugins: map[string]any{}}
		for _, match := range list(rule, "matches") {
			path, _, _ := unstructured.NestedString(match, "path", "value")
			if kind, _, _ := unstructured.NestedString(match, "path", "type"); kind != "Exact" {
				path = strings.TrimSuffix(path, "/") + "/*"
			}
			route.URIs = append(route.URIs, path)
		}
		sent.Upstreams = append(sent.Upstreams, c.backends(o.GetNamespace(), list(rule, "backendRefs"), &route)...)
		sent.Routes = append(sent.Routes, route)
	}
}

// apisixRoute is one route for each entry under http. Without the plugins that it names it would be open to everybody, so it is left
// out until they are there.
func (c *controller) apisixRoute(o object) []admin.Route {
	var routes []admin.Route
	for _, entry := range list(o.Object, "spec", "http") {
		name, _ := entry["name"].(string)
		match, _ := entry["match"].(map[string]any)
		route := admin.Route{
			ID: o.GetNamespace() + "_" + o.GetName() + "_" + name, Name: name, Plugins: map[string]any{},
			Hosts: texts(match, "hosts"), URIs: texts(match, "paths"),
		}
		if config, _ := entry["plugin_config_name"].(string); config != "" {
			found := c.get(pluginConfigs, o.GetNamespace(), config)
			if found == nil || !c.mine(found) {
				continue
			}
			c.plugins(found, route.Plugins)
		}
		for _, backend := range list(entry, "backends") {
			service, _ := backend["serviceName"].(string)
			port, _ := backend["servicePort"].(int64)
			route.Upstream.Nodes = append(route.Upstream.Nodes, c.nodes(o.GetNamespace(), service, port)...)
		}
		routes = append(routes, route)
	}
	return routes
}

// plugins adds those of an ApisixPluginConfig, with each key of the Secret that one names put into its configuration.
func (c *controller) plugins(from object, into map[string]any) {
	for _, plugin := range list(from.Object, "spec", "plugins") {
		if on, _ := plugin["enable"].(bool); !on {
			continue
		}
		name, _ := plugin["name"].(string)
		config, _ := plugin["config"].(map[string]any)
		if config == nil {
			config = map[string]any{}
		}
		if ref, _ := plugin["secretRef"].(string); ref != "" {
			for key, value := range c.secret(from.GetNamespace(), ref) {
				_ = unstructured.SetNestedField(config, value, strings.Split(key, ".")...) // a dot leads one level down
			}
		}
		into[name] = config
	}
}

// consumer is somebody with credentials, which a Secret holds.
func (c *controller) consumer(o object) admin.Consumer {
	made := admin.Consumer{Username: o.GetNamespace() + "_" + o.GetName(), Plugins: map[string]any{}}
	for _, credential := range list(o.Object, "spec", "credentials") {
		kind, _ := credential["type"].(string)
		config, _ := credential["config"].(map[string]any)
		if config == nil {
			config = map[string]any{}
		}
		if ref, _, _ := unstructured.NestedString(credential, "secretRef", "name"); ref != "" {
			for key, value := range c.secret(o.GetNamespace(), ref) {
				config[key] = value
			}
		}
		made.Plugins[kind] = config
	}
	return made
}
