package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/tools/apisix/admin"
)

var sender = &http.Client{Timeout: 3 * time.Second}

// send configures every Pod of each data plane that a Gateway or an IngressClass names, ready or not: one that has no
// configuration is not ready.
func (c *controller) send(ctx context.Context) error {
	var failures []error
	used := map[object]bool{}
	for _, gateway := range c.ours() {
		if proxy := c.proxyOf(gateway); proxy != nil {
			used[proxy] = true
		}
	}
	for _, class := range c.all(ingressClass) {
		proxy := c.get(proxies, text(class, "spec", "parameters", "namespace"), text(class, "spec", "parameters", "name"))
		if proxy != nil && text(class, "spec", "controller") == controllerName {
			used[proxy] = true
		}
	}
	if len(used) == 0 {
		fmt.Println("no GatewayProxy configs provided")
	}
	for proxy := range used {
		failures = append(failures, c.configure(ctx, proxy))
	}
	return errors.Join(failures...)
}

// configure sends one data plane its configuration.
func (c *controller) configure(ctx context.Context, proxy object) error {
	plane, _, _ := unstructured.NestedMap(proxy.Object, "spec", "provider", "controlPlane")
	service, _, _ := unstructured.NestedString(plane, "service", "name")
	port, _, _ := unstructured.NestedInt64(plane, "service", "port")
	secret, _, _ := unstructured.NestedString(plane, "auth", "adminKey", "valueFrom", "secretKeyRef", "name")
	entry, _, _ := unstructured.NestedString(plane, "auth", "adminKey", "valueFrom", "secretKeyRef", "key")
	key, _, _ := unstructured.NestedString(plane, "auth", "adminKey", "value")
	if key == "" {
		key = c.secret(proxy.GetNamespace(), secret)[entry]
	}
	name := ""
	if o := c.get(services, proxy.GetNamespace(), service); o != nil {
		for _, one := range list(o.Object, "spec", "ports") {
			if number, _ := one["port"].(int64); number == port {
				name, _ = one["name"].(string)
			}
		}
	}
	body, err := json.Marshal(c.translate(proxy))
	if err != nil {
		return err
	}
	var failures []error
	for _, node := range c.addresses(proxy.GetNamespace(), service, name, true) {
		failures = append(failures, put(ctx, node, key, body))
	}
	return errors.Join(failures...)
}

func put(ctx context.Context, node admin.Node, key string, body []byte) error {
	address := fmt.Sprintf("http://%s:%d%s", node.Host, node.Port, admin.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set(admin.Header, key)
	request.Header.Set("Content-Type", "application/json")
	response, err := sender.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	return nil
}
