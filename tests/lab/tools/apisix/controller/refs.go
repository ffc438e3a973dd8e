package main

import (
	"encoding/base64"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/admin"
)

// proxyOf returns the GatewayProxy that a Gateway names; nil if it does not exist.
func (c *controller) proxyOf(gateway object) object {
	return c.get(proxies, gateway.GetNamespace(), text(gateway, "spec", "infrastructure", "parametersRef", "name"))
}

// parent returns the Gateway that a parentRef names; nil if it is not a Gateway of this controller.
func (c *controller) parent(route object, ref map[string]any) object {
	namespace, _ := ref["namespace"].(string)
	if namespace == "" {
		namespace = route.GetNamespace()
	}
	name, _ := ref["name"].(string)
	for _, gateway := range c.ours() {
		if gateway.GetNamespace() == namespace && gateway.GetName() == name {
			return gateway
		}
	}
	return nil
}

// mine reports whether an object belongs to this controller: by its IngressClass, or by the Gateway
// in gatewayRef.
func (c *controller) mine(o object) bool {
	if name := text(o, "spec", "ingressClassName"); name != "" {
		class := c.get(ingressClass, "", name)
		return class != nil && text(class, "spec", "controller") == controllerName
	}
	ref, _, _ := unstructured.NestedMap(o.Object, "spec", "gatewayRef")
	return ref != nil && c.parent(o, ref) != nil
}

// pairOf returns the certificate and key of a listener; nil if its Secret does not exist.
func (c *controller) pairOf(gateway object, listener map[string]any) *adc.SSL {
	for _, ref := range list(listener, "tls", "certificateRefs") {
		name, _ := ref["name"].(string)
		if pair := c.pair(gateway.GetNamespace(), name); pair != nil {
			if host, _ := listener["hostname"].(string); host != "" {
				pair.SNIs = []string{host}
			}
			return pair
		}
	}
	return nil
}

func (c *controller) pair(namespace, name string) *adc.SSL {
	data := c.secret(namespace, name)
	if data["tls.crt"] == "" || data["tls.key"] == "" {
		return nil
	}
	return &adc.SSL{Certificates: []adc.Certificate{{Certificate: data["tls.crt"], Key: data["tls.key"]}}}
}

// secret returns the decoded data of a Secret; empty if it does not exist.
func (c *controller) secret(namespace, name string) map[string]string {
	found := map[string]string{}
	o := c.get(secrets, namespace, name)
	if o == nil {
		return found
	}
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	for key, value := range data {
		if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
			found[key] = string(plain)
		}
	}
	return found
}

// nodes returns the ready Pods behind a Service's port.
func (c *controller) nodes(namespace, service string, port int64) []admin.Node {
	o := c.get(services, namespace, service)
	if o == nil {
		return nil
	}
	name := ""
	for _, one := range list(o.Object, "spec", "ports") {
		if number, _ := one["port"].(int64); number == port {
			name, _ = one["name"].(string)
		}
	}
	return c.addresses(namespace, service, name, ready)
}

// ready and staying select the Pods of a Service. Pods of a route must be ready, and Pods of a data
// plane must not be terminating (internal/adc/translator, DefaultEndpointFilter,
// TranslateGatewayProxyToConfig).
func ready(conditions map[string]any) bool { return conditions["ready"] != false }

func staying(conditions map[string]any) bool { return conditions["terminating"] != true }

// addresses returns the Pods behind the named port of a Service whose conditions pass counts.
func (c *controller) addresses(namespace, service, port string, counts func(map[string]any) bool) []admin.Node {
	found := []admin.Node{}
	for _, slice := range c.all(endpoints) {
		if slice.GetNamespace() != namespace || slice.GetLabels()["kubernetes.io/service-name"] != service {
			continue
		}
		for _, one := range list(slice.Object, "ports") {
			if name, _ := one["name"].(string); name != port {
				continue
			}
			number, _ := one["port"].(int64)
			for _, endpoint := range list(slice.Object, "endpoints") {
				conditions, _, _ := unstructured.NestedMap(endpoint, "conditions")
				for _, address := range texts(endpoint, "addresses") {
					if counts(conditions) {
						found = append(found, admin.Node{Host: address, Port: int(number)})
					}
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b admin.Node) int { return strings.Compare(a.Host, b.Host) })
	return found
}
