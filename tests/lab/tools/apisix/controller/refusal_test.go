package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"strata/tests/lab/tools/apisix/adc"
)

// platform returns a controller that sees an IngressClass, its GatewayProxy with key and Service,
// and a route's plugin configuration. The object named by without is missing.
func platform(t *testing.T, without string) *controller {
	t.Helper()
	c := &controller{last: map[string]adc.Service{}, stores: map[schema.GroupVersionResource]cache.Store{}}
	add := func(resource schema.GroupVersionResource, namespace, name string, fields map[string]any) {
		if c.stores[resource] == nil {
			c.stores[resource] = cache.NewStore(cache.MetaNamespaceKeyFunc)
		}
		if resource.Resource == without || name == without {
			return
		}
		fields["metadata"] = map[string]any{"namespace": namespace, "name": name,
			"labels": map[string]any{"kubernetes.io/service-name": "apisix-admin"}}
		if err := c.stores[resource].Add(&unstructured.Unstructured{Object: fields}); err != nil {
			t.Fatal(err)
		}
	}
	add(ingressClass, "", "apisix", map[string]any{"spec": map[string]any{
		"controller": controllerName, "parameters": map[string]any{"namespace": "apisix", "name": "apisix-config"},
	}})
	add(proxies, "apisix", "apisix-config",
		map[string]any{"spec": map[string]any{"provider": map[string]any{
			"controlPlane": map[string]any{
				"service": map[string]any{"name": "apisix-admin", "port": int64(9180)},
				"auth": map[string]any{"adminKey": map[string]any{"valueFrom": map[string]any{
					"secretKeyRef": map[string]any{"name": "keys", "key": "admin"}}}},
			}}}})
	add(secrets, "apisix", "keys", map[string]any{"data": map[string]any{"admin": "aw=="}})
	add(services, "apisix", "apisix-admin",
		map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "admin",
			"port": int64(9180)}}}})
	add(endpoints, "apisix", "slice", map[string]any{
		"ports": []any{map[string]any{"name": "admin", "port": int64(9180)}},
		"endpoints": []any{map[string]any{"addresses": []any{"10.0.0.1"},
			"conditions": map[string]any{"ready": false}}},
	})
	add(pluginConfigs, "demo", "login", map[string]any{"spec": map[string]any{
		"ingressClassName": "apisix", "plugins": []any{map[string]any{"name": "openid-connect",
			"enable": true, "secretRef": "login-secret"}},
	}})
	add(secrets, "demo", "login-secret", map[string]any{"data": map[string]any{}})
	return c
}

// validator starts an ADC that responds to /validate with code and success.
func validator(t *testing.T, c *controller, code int, success bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adc.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(map[string]any{"success": success, "message": "bad plugin"})
	}))
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	c.sidecar = socket("unix:" + path)
}

func TestWebhookRejectsRouteWithMissingDependencies(t *testing.T) {
	route := &unstructured.Unstructured{Object: map[string]any{
		"kind": "ApisixRoute", "metadata": map[string]any{"namespace": "demo", "name": "r"}, "spec": map[string]any{
			"ingressClassName": "apisix", "http": []any{map[string]any{"name": "r", "plugin_config_name": "login"}},
		},
	}}
	for name, one := range map[string]struct {
		without string
		code    int
		success bool
		want    string
	}{
		"nothing is missing": {"", 200, true, ""},
		"no IngressClass":    {"ingressclasses", 200, true, ""},
		"no GatewayProxy": {"gatewayproxies", 200, true,
			`gatewayproxies.apisix.apache.org "apisix-config" not found`},
		"no key":                                {"keys", 200, true, `secrets "keys" not found`},
		"no data plane":                         {"services", 200, true, `services "apisix-admin" not found`},
		"no Pod of the data plane":              {"endpointslices", 200, false, ""},
		"no plugin configuration":               {"login", 200, true, "failed to get ApisixPluginConfig: demo/login"},
		"no Secret of the plugin configuration": {"login-secret", 200, true, "failed to get Secret: demo/login-secret"},
		"the data plane rejects the route":      {"", 200, false, "bad plugin"},
		"ADC answers with status 500":           {"", 500, false, ""},
	} {
		c := platform(t, one.without)
		validator(t, c, one.code, one.success)
		err := c.refusal(t.Context(), route)
		if (err == nil) != (one.want == "") || err != nil && !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: expected %q, found %v", name, one.want, err)
		}
	}
}
