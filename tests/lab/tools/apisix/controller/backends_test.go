package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/admin"
)

// world returns a controller that sees Services in the namespace apps. Each Service has one Pod,
// which is ready or not.
func world(t *testing.T, ready map[string]bool) *controller {
	t.Helper()
	c := &controller{last: map[string]adc.Service{}, stores: map[schema.GroupVersionResource]cache.Store{
		services: cache.NewStore(cache.MetaNamespaceKeyFunc), endpoints: cache.NewStore(cache.MetaNamespaceKeyFunc),
	}}
	add := func(resource schema.GroupVersionResource, name string, fields map[string]any) {
		fields["metadata"] = map[string]any{
			"namespace": "apps",
			"name":      name,
			"labels":    map[string]any{"kubernetes.io/service-name": name},
		}
		if err := c.stores[resource].Add(&unstructured.Unstructured{Object: fields}); err != nil {
			t.Fatal(err)
		}
	}
	for name, serves := range ready {
		add(
			services,
			name,
			map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http", "port": int64(80)}}}},
		)
		add(endpoints, name, map[string]any{
			"ports": []any{map[string]any{"name": "http", "port": int64(8080)}},
			"endpoints": []any{
				map[string]any{"addresses": []any{"pod-of-" + name}, "conditions": map[string]any{"ready": serves}},
			},
		})
	}
	return c
}

// routeTo returns an HTTPRoute with a rule for each list of backends and weights. A backend with a
// weight below 0 has no weight.
func routeTo(rules ...[]any) object {
	var all []any
	for _, backends := range rules {
		var refs []any
		for i := 0; i < len(backends); i += 2 {
			ref := map[string]any{"name": backends[i], "port": int64(80)}
			if weight := backends[i+1].(int); weight >= 0 {
				ref["weight"] = int64(weight)
			}
			refs = append(refs, ref)
		}
		all = append(all, map[string]any{"backendRefs": refs})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"namespace": "apps", "name": "shop"}, "spec": map[string]any{"rules": all},
	}}
}

func TestHTTPRouteSplitsTrafficByBackendWeights(t *testing.T) {
	both := map[string]bool{"shop": true, "shop-canary": true}
	for name, c := range map[string]struct {
		ready    map[string]bool
		backends []any
		// own is the Pod of the route's own upstream. split is the configuration of the plugin
		// traffic-split. Either may be empty.
		own, split string
	}{
		"5 % to the canary": {both, []any{"shop", 95, "shop-canary", 5}, "pod-of-shop",
			`[{"weight":95},{"upstream_id":"e4cfc863","weight":5}]`},
		"weight 0": {both, []any{"shop", 100, "shop-canary", 0}, "pod-of-shop",
			`[{"weight":100},{"upstream_id":"e4cfc863","weight":0}]`},
		"no weights": {both, []any{"shop", -1, "shop-canary", -1}, "pod-of-shop",
			`[{"weight":100},{"upstream_id":"e4cfc863","weight":100}]`},
		"one backend": {both, []any{"shop", 0}, "pod-of-shop", ""},
		"canary without a ready Pod": {map[string]bool{"shop": true, "shop-canary": false},
			[]any{"shop", 95, "shop-canary", 5}, "pod-of-shop", ""},
		"only a backend of weight 0 is ready": {map[string]bool{"shop": false, "shop-canary": true},
			[]any{"shop", 100, "shop-canary", 0}, "pod-of-shop-canary", ""},
		"no backend is ready": {map[string]bool{"shop": false}, []any{"shop", 100, "gone", 0}, "", ""},
		"weights shift after an omitted backend": {
			map[string]bool{"a": false, "b": true, "c": true}, []any{"a", 70, "b", 20, "c", 10}, "pod-of-b",
			`[{"weight":70},{"upstream_id":"d3db5200","weight":20}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := adc.Resources{}
			world(t, c.ready).httpRoute(routeTo(c.backends), &sent)
			var own, split string
			if nodes := sent.Services[0].Upstream.Nodes; len(nodes) > 0 {
				own = nodes[0].Host
			}
			if config, on := sent.Services[0].Plugins[admin.TrafficSplit].(admin.Split); on {
				text, err := json.Marshal(config.Rules[0].WeightedUpstreams)
				if err != nil {
					t.Fatal(err)
				}
				split = string(text)
			}
			if own != c.own || split != c.split || (len(sent.Services[0].Upstreams) == 1) != (split != "") {
				t.Errorf(
					"expected %q with %s, found %q with %s and upstreams %v",
					c.own,
					c.split,
					own,
					split,
					sent.Services[0].Upstreams,
				)
			}
		})
	}
}

// The data plane rejects a configuration with two upstreams of the same id.
func TestTwoRulesWithOneServiceCreateDuplicateUpstream(t *testing.T) {
	sent, backends := adc.Resources{}, []any{"shop", 100, "shop-canary", 0}
	world(t, map[string]bool{"shop": true, "shop-canary": true}).httpRoute(routeTo(backends, backends), &sent)
	var ids []string
	for _, one := range adc.Standalone(sent).Upstreams {
		ids = append(ids, one.ID)
	}
	canary := idOf("Service_apps_shop-canary_80")
	if want := []string{idOf("apps_shop_0"), canary, idOf("apps_shop_1"), canary}; !slices.Equal(ids, want) {
		t.Errorf("expected %v, found %v", want, ids)
	}
	if sent.Services[0].ID == sent.Services[1].ID {
		t.Errorf("two rules are one service %s", sent.Services[0].ID)
	}
}

// While a route has the annotation, the data plane keeps the route's previous Pods, as users have
// seen with controllers before 2.2.0.
func TestAnnotatedRouteKeepsUpstreamsOfLastSync(t *testing.T) {
	nodesOf := func(c *controller, route object) []admin.Node {
		sent := adc.Resources{}
		c.httpRoute(route, &sent)
		return sent.Services[0].Upstream.Nodes
	}
	old, later := world(t, map[string]bool{"shop": true}), world(t, map[string]bool{"other": true})
	route := routeTo([]any{"shop", 100})
	before := nodesOf(old, route)
	later.last = old.last
	route.SetAnnotations(map[string]string{keepUpstreams: "true"})
	if got := nodesOf(later, route); len(before) != 1 || !reflect.DeepEqual(got, before) {
		t.Errorf("expected %v, found %v", before, got)
	}
	route.SetAnnotations(nil)
	if got := nodesOf(later, route); len(got) != 0 {
		t.Errorf("expected none, found %v", got)
	}
}

// With the chart's default listener_port_match_mode auto, a route that names listeners matches only
// their ports. The data plane listens on other ports, and so answers 404.
func TestRouteThatNamesListenersMatchesOnlyTheirPorts(t *testing.T) {
	c := world(t, map[string]bool{"shop": true})
	add := func(resource schema.GroupVersionResource, fields map[string]any) {
		if c.stores[resource] == nil {
			c.stores[resource] = cache.NewStore(cache.MetaNamespaceKeyFunc)
		}
		if err := c.stores[resource].Add(&unstructured.Unstructured{Object: fields}); err != nil {
			t.Fatal(err)
		}
	}
	add(
		classes,
		map[string]any{
			"metadata": map[string]any{"name": "apisix"},
			"spec":     map[string]any{"controllerName": controllerName},
		},
	)
	add(
		gateways,
		map[string]any{"metadata": map[string]any{"namespace": "apisix", "name": "apisix"}, "spec": map[string]any{
			"gatewayClassName": "apisix", "listeners": []any{
				map[string]any{
					"name": "http",
					"port": int64(80),
				}, map[string]any{"name": "https", "port": int64(443), "hostname": "*.test"},
			},
		}},
	)
	to := func(sections ...string) object {
		route := routeTo([]any{"shop", 100})
		var refs []any
		for _, section := range sections {
			ref := map[string]any{"namespace": "apisix", "name": "apisix"}
			if section != "" {
				ref["sectionName"] = section
			}
			refs = append(refs, ref)
		}
		if err := unstructured.SetNestedSlice(route.Object, refs, "spec", "parentRefs"); err != nil {
			t.Fatal(err)
		}
		return route
	}
	for name, one := range map[string]struct {
		mode  string
		route object
		want  []any
	}{
		"both listeners by name":    {"auto", to("http", "https"), []any{"80", "443"}},
		"listener with a host name": {"auto", to("https"), nil},
		"no listener named":         {"auto", to(""), nil},
		"mode off":                  {"off", to("http", "https"), nil},
	} {
		c.portMatch = one.mode
		if got := c.listenerPorts(one.route); !reflect.DeepEqual(got, one.want) {
			t.Errorf("%s: expected %v, found %v", name, one.want, got)
		}
	}
}
