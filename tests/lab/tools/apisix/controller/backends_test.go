package main

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"strata/tests/lab/tools/apisix/admin"
)

// world is a controller of Services in namespace apps, each with one Pod that is ready or not.
func world(t *testing.T, ready map[string]bool) *controller {
	t.Helper()
	c := &controller{stores: map[schema.GroupVersionResource]cache.Store{
		services: cache.NewStore(cache.MetaNamespaceKeyFunc), endpoints: cache.NewStore(cache.MetaNamespaceKeyFunc),
	}}
	add := func(resource schema.GroupVersionResource, name string, fields map[string]any) {
		fields["metadata"] = map[string]any{"namespace": "apps", "name": name, "labels": map[string]any{"kubernetes.io/service-name": name}}
		if err := c.stores[resource].Add(&unstructured.Unstructured{Object: fields}); err != nil {
			t.Fatal(err)
		}
	}
	for name, serves := range ready {
		add(services, name, map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"name": "http", "port": int64(80)}}}})
		add(endpoints, name, map[string]any{
			"ports":     []any{map[string]any{"name": "http", "port": int64(8080)}},
			"endpoints": []any{map[string]any{"addresses": []any{"pod-of-" + name}, "conditions": map[string]any{"ready": serves}}},
		})
	}
	return c
}

// routeTo is an HTTPRoute with one rule for each list of backends; a weight below 0 is none.
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

func TestBackendsShareByTheirWeights(t *testing.T) {
	both := map[string]bool{"shop": true, "shop-canary": true}
	for name, c := range map[string]struct {
		ready    map[string]bool
		backends []any
		// own is the Pod of the route's own upstream, split is what is sent of the plugin; empty: none.
		own, split string
	}{
		"a part":             {both, []any{"shop", 95, "shop-canary", 5}, "pod-of-shop", `[{"weight":95},{"upstream_id":"Service_apps_shop-canary_80","weight":5}]`},
		"weight 0":           {both, []any{"shop", 100, "shop-canary", 0}, "pod-of-shop", `[{"weight":100},{"upstream_id":"Service_apps_shop-canary_80","weight":0}]`},
		"no weights":         {both, []any{"shop", -1, "shop-canary", -1}, "pod-of-shop", `[{"weight":100},{"upstream_id":"Service_apps_shop-canary_80","weight":100}]`},
		"one backend":        {both, []any{"shop", 0}, "pod-of-shop", ""},
		"a canary that died": {map[string]bool{"shop": true, "shop-canary": false}, []any{"shop", 95, "shop-canary", 5}, "pod-of-shop", ""},
		"only weight 0 left": {map[string]bool{"shop": false, "shop-canary": true}, []any{"shop", 100, "shop-canary", 0}, "pod-of-shop-canary", ""},
		"none is left":       {map[string]bool{"shop": false}, []any{"shop", 100, "gone", 0}, "", ""},
		"a neighbour's weights": {
			map[string]bool{"a": false, "b": true, "c": true}, []any{"a", 70, "b", 20, "c", 10}, "pod-of-b",
			`[{"weight":70},{"upstream_id":"Service_apps_c_80","weight":20}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := admin.Config{}
			world(t, c.ready).httpRoute(routeTo(c.backends), &sent)
			var own, split string
			if nodes := sent.Routes[0].Upstream.Nodes; len(nodes) > 0 {
				own = nodes[0].Host
			}
			if config, on := sent.Routes[0].Plugins[admin.TrafficSplit].(admin.Split); on {
				text, err := json.Marshal(config.Rules[0].WeightedUpstreams)
				if err != nil {
					t.Fatal(err)
				}
				split = string(text)
			}
			if own != c.own || split != c.split || (len(sent.Upstreams) == 1) != (split != "") {
				t.Errorf("expected %q with %s, found %q with %s and upstreams %v", c.own, c.split, own, split, sent.Upstreams)
			}
		})
	}
}

// This is what the data plane refuses.
func TestTwoRulesToOneServiceBringItsUpstreamTwice(t *testing.T) {
	sent, backends := admin.Config{}, []any{"shop", 100, "shop-canary", 0}
	world(t, map[string]bool{"shop": true, "shop-canary": true}).httpRoute(routeTo(backends, backends), &sent)
	twice := admin.Upstream{ID: "Service_apps_shop-canary_80", Nodes: []admin.Node{{Host: "pod-of-shop-canary", Port: 8080}}}
	if !reflect.DeepEqual(sent.Upstreams, []admin.Upstream{twice, twice}) {
		t.Errorf("expected %v twice, found %v", twice, sent.Upstreams)
	}
	if sent.Routes[0].ID == sent.Routes[1].ID {
		t.Errorf("two rules are one route %s", sent.Routes[0].ID)
	}
}
