package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/tools/apisix/adc"
)

// translate returns the configuration of a GatewayProxy's data plane.
func (c *controller) translate(proxy object) adc.Resources {
	sent := adc.Resources{GlobalRules: map[string]any{}}
	for _, plugin := range list(proxy.Object, "spec", "plugins") {
		if on, _ := plugin["enabled"].(bool); on {
			name, _ := plugin["name"].(string)
			sent.GlobalRules[name] = plugin["config"]
		}
	}
	for _, gateway := range c.ours() {
		if used := c.proxyOf(gateway); used == nil || used.GetUID() != proxy.GetUID() {
			continue
		}
		for i, listener := range list(gateway.Object, "spec", "listeners") {
			if pair := c.pairOf(gateway, listener); pair != nil {
				pair.ID = idOf(fmt.Sprintf("Gateway_%s_%s_%d", gateway.GetNamespace(), gateway.GetName(), i))
				sent.SSLs = append(sent.SSLs, *pair)
			}
		}
	}
	for _, route := range c.all(httpRoutes) {
		if _, attached := c.parents(route); attached {
			c.httpRoute(route, &sent)
		}
	}
	for _, one := range c.all(apisixTLS) {
		pair := c.pair(text(one, "spec", "secret", "namespace"), text(one, "spec", "secret", "name"))
		if c.mine(one) && pair != nil {
			pair.ID, pair.SNIs = idOf("ApisixTls_"+one.GetNamespace()+"_"+one.GetName()),
				texts(one.Object, "spec", "hosts")
			sent.SSLs = append(sent.SSLs, *pair)
		}
	}
	for _, route := range c.all(apisixRoutes) {
		if c.mine(route) {
			c.apisixRoute(route, &sent)
		}
	}
	for _, consumer := range c.all(consumers) {
		if c.mine(consumer) {
			sent.Consumers = append(sent.Consumers, c.consumer(consumer))
		}
	}
	return sent
}

// labels returns the labels of resources that are made from an object (internal/controller/label).
func labels(o object, kind string) map[string]string {
	return map[string]string{
		"k8s/kind": kind, "k8s/namespace": o.GetNamespace(), "k8s/name": o.GetName(),
		"k8s/controller-name": controllerName,
		"manager-by":          "apisix-ingress-controller",
	}
}

// serviceOf returns the service for one rule of an object. rule is the rule's index.
func serviceOf(o object, kind string, rule int, hosts []string) adc.Service {
	name := fmt.Sprintf("%s_%s_%d", o.GetNamespace(), o.GetName(), rule)
	return adc.Service{Metadata: adc.Metadata{ID: idOf(name), Name: name, Labels: labels(o, kind)},
		Hosts: hosts, Plugins: map[string]any{}}
}

// httpRoute adds a service for each rule of an HTTPRoute, with a route for each match.
func (c *controller) httpRoute(o object, sent *adc.Resources) {
	ports := c.listenerPorts(o)
	for i, rule := range list(o.Object, "spec", "rules") {
		service := serviceOf(o, "HTTPRoute", i, texts(o.Object, "spec", "hostnames"))
		for j, match := range list(rule, "matches") {
			name := fmt.Sprintf("%s_%s_%d-%d", o.GetNamespace(), o.GetName(), i, j)
			path, _, _ := unstructured.NestedString(match, "path", "value")
			uris := []string{path}
			if kind, _, _ := unstructured.NestedString(match, "path", "type"); kind != "Exact" {
				uris = append(uris, strings.TrimSuffix(path, "/")+"/*")
			}
			route := adc.Route{Metadata: adc.Metadata{ID: idOf(name), Name: name, Labels: service.Labels}, URIs: uris}
			if len(ports) > 0 {
				route.Vars = [][]any{{"server_port", "in", ports}}
			}
			service.Routes = append(service.Routes, route)
		}
		c.backends(o.GetNamespace(), list(rule, "backendRefs"), &service)
		sent.Services = append(sent.Services, c.kept(o, service))
	}
}

// listenerPorts returns the ports that a route must match; none means any port. In mode auto, these
// are the ports of its listeners, if the route names a listener without a host name, or if
// listeners without a host name have two or more ports (internal/adc/translator/translator.go,
// shouldInjectServerPortVars). In other modes there are none.
func (c *controller) listenerPorts(route object) []any {
	var ports []any
	bound, explicit := map[int64]bool{}, false
	for _, ref := range list(route.Object, "spec", "parentRefs") {
		gateway := c.parent(route, ref)
		if c.portMatch != "auto" || gateway == nil {
			continue
		}
		section, _ := ref["sectionName"].(string)
		explicit = explicit || section != ""
		for _, listener := range list(gateway.Object, "spec", "listeners") {
			port, _ := listener["port"].(int64)
			if host, _ := listener["hostname"].(string); section == "" || listener["name"] == section {
				ports = append(ports, fmt.Sprint(port))
				if host == "" {
					bound[port] = true
				}
			}
		}
	}
	if len(bound) > 1 || explicit && len(bound) > 0 {
		return ports
	}
	return nil
}

// apisixRoute adds a service for each entry under http. If a plugin configuration that the route
// names is missing, it adds no further entries, because upstream does not send them either
// (internal/controller/apisixroute_controller.go, validatePluginConfig).
func (c *controller) apisixRoute(o object, sent *adc.Resources) {
	for i, entry := range list(o.Object, "spec", "http") {
		name, _ := entry["name"].(string)
		match, _ := entry["match"].(map[string]any)
		service := serviceOf(o, "ApisixRoute", i, texts(match, "hosts"))
		full := o.GetNamespace() + "_" + o.GetName() + "_" + name
		route := adc.Route{Metadata: adc.Metadata{ID: idOf(full), Name: full,
			Labels: service.Labels}, URIs: texts(match, "paths"), Plugins: map[string]any{}}
		if config, _ := entry["plugin_config_name"].(string); config != "" {
			found := c.get(pluginConfigs, o.GetNamespace(), config)
			if found == nil || !c.mine(found) {
				return
			}
			c.plugins(found, route.Plugins)
		}
		service.Upstream = &adc.Upstream{}
		for _, backend := range list(entry, "backends") {
			to, _ := backend["serviceName"].(string)
			port, _ := backend["servicePort"].(int64)
			service.Upstream.Nodes = append(service.Upstream.Nodes,
				weigh(c.nodes(o.GetNamespace(), to, port), defaultWeight)...)
		}
		service.Routes = []adc.Route{route}
		sent.Services = append(sent.Services, c.kept(o, service))
	}
}

// plugins adds the plugins of an ApisixPluginConfig. If a plugin names a Secret, the Secret's keys
// are put into the plugin's configuration.
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
				_ = unstructured.SetNestedField(config, value, strings.Split(key, ".")...) // a dot in the key means a nested field
			}
		}
		into[name] = config
	}
}

// consumer returns a Consumer with its credentials. Secrets may have the credentials.
func (c *controller) consumer(o object) adc.Consumer {
	made := adc.Consumer{Username: o.GetNamespace() + "_" + o.GetName()}
	for _, one := range list(o.Object, "spec", "credentials") {
		kind, _ := one["type"].(string)
		name, _ := one["name"].(string)
		config, _ := one["config"].(map[string]any)
		if config == nil {
			config = map[string]any{}
		}
		if ref, _, _ := unstructured.NestedString(one, "secretRef", "name"); ref != "" {
			if c.get(secrets, o.GetNamespace(), ref) == nil {
				continue // omit the credential until its Secret exists
			}
			for key, value := range c.secret(o.GetNamespace(), ref) {
				config[key] = value
			}
		}
		made.Credentials = append(made.Credentials,
			adc.Credential{Metadata: adc.Metadata{Name: name}, Type: kind, Config: config})
	}
	return made
}
