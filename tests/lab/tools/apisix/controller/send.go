package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/lab/tools/apisix/adc"
)

// send configures every Pod of each data plane that a Gateway or an IngressClass names, ready or
// not. A Pod becomes ready only when it has a configuration.
func (c *controller) send(ctx context.Context) error {
	var failures []error
	used := map[object]bool{}
	for _, gateway := range c.ours() {
		if proxy := c.proxyOf(gateway); proxy != nil {
			used[proxy] = true
		}
	}
	for _, class := range c.all(ingressClass) {
		proxy := c.get(proxies, text(class, "spec", "parameters", "namespace"),
			text(class, "spec", "parameters", "name"))
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

// configure sends a data plane its configuration through ADC.
func (c *controller) configure(ctx context.Context, proxy object) error {
	request, err := c.request(proxy)
	if err != nil {
		return err
	}
	request.Task.Opts.BypassCache = !c.rebuilt
	request.Task.Config = c.translate(proxy)
	err = c.adc(ctx, "sync", request, nil)
	c.rebuilt = c.rebuilt || err == nil
	return err
}

// request returns a request for the data plane of a GatewayProxy, without a configuration.
func (c *controller) request(proxy object) (adc.Request, error) {
	var request adc.Request
	opts := &request.Task.Opts
	opts.CacheKey = "GatewayProxy/" + proxy.GetNamespace() + "/" + proxy.GetName()
	plane, _, _ := unstructured.NestedMap(proxy.Object, "spec", "provider", "controlPlane")
	opts.Token, _, _ = unstructured.NestedString(plane, "auth", "adminKey", "value")
	if name, _, _ := unstructured.NestedString(plane, "auth", "adminKey", "valueFrom",
		"secretKeyRef", "name"); name != "" {
		if _, err := c.needed(secrets, proxy.GetNamespace(), name); err != nil {
			return request, err
		}
		key, _, _ := unstructured.NestedString(plane, "auth", "adminKey", "valueFrom", "secretKeyRef", "key")
		opts.Token = c.secret(proxy.GetNamespace(), name)[key]
	}
	name, _, _ := unstructured.NestedString(plane, "service", "name")
	service, err := c.needed(services, proxy.GetNamespace(), name)
	if err != nil {
		return request, err
	}
	port, _, _ := unstructured.NestedInt64(plane, "service", "port")
	portName := ""
	for _, one := range list(service.Object, "spec", "ports") {
		if number, _ := one["port"].(int64); number == port {
			portName, _ = one["name"].(string)
		}
	}
	for _, node := range c.addresses(proxy.GetNamespace(), name, portName, staying) {
		opts.Server = append(opts.Server, "http://"+net.JoinHostPort(node.Host, strconv.Itoa(node.Port)))
	}
	return request, nil
}

// adc sends a request to ADC. It decodes the response into said if that is not nil. Otherwise it
// returns the errors of the servers.
func (c *controller) adc(ctx context.Context, what string, request adc.Request, said any) error {
	body, err := json.Marshal(map[string]any{"task": request.Task})
	if err != nil {
		return err
	}
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://adc/"+what, bytes.NewReader(body))
	if err != nil {
		return err
	}
	put.Header.Set("Content-Type", "application/json")
	response, err := c.sidecar.Do(put)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("ADC: HTTP %d: %s", response.StatusCode, text)
	}
	if said != nil {
		return json.Unmarshal(text, said)
	}
	var result adc.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	for _, one := range result.EndpointStatus {
		if !one.Success {
			err = errors.Join(err, fmt.Errorf("%s: %s", one.Server, one.Reason))
		}
	}
	return err
}

// socket returns an HTTP client that connects to a Unix socket, such as the chart's
// unix:/sockets/adc.sock.
func socket(address string) *http.Client {
	path := strings.TrimPrefix(address, "unix:")
	return &http.Client{Timeout: 15 * time.Second,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn,
			error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}}}
}
