package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/http"
	"strata/health/kinds"
	"strata/health/upstreams"
	"strata/tests/pulumitest"
)

// withRoutes returns the graph of a stack with both ingress controllers and workloads.
func withRoutes(t *testing.T, workloads ...map[string]any) graph {
	t.Helper()
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"traefik", "apisix"}})
	var entries []any
	for _, fields := range workloads {
		fields["image"] = "a:1"
		entries = append(entries, fields)
	}
	p.set(t, "apps", map[string]any{"workloads": entries})
	return p.graph(t)
}

// routesOf returns the resources of the routes of a kind.
func routesOf(g graph, kind string) []string {
	return g.where(func(r pulumitest.Resource) bool {
		return strings.HasPrefix(r.Name, "workload-") && strings.HasSuffix(r.Type, ":"+kind)
	})
}

func TestRoutesUseIngressControllerOfStack(t *testing.T) {
	p := newProgram(t, "local")
	p.set(t, "ingress", map[string]any{"controllers": []string{"apisix"}})
	p.set(t, "apps", map[string]any{"workloads": []any{map[string]any{
		"name": "shop", "image": "a:1",
		"routes": []any{map[string]any{}, map[string]any{"host": "shop2", "kind": "HTTPRoute"}},
	}}})
	g := p.graph(t)
	assert.Equal(t, []string{"workload-shop-route-shop"}, routesOf(g, "ApisixRoute"))
	assert.Len(t, routesOf(g, "HTTPRoute"), 1)
	assert.True(t, g.reaches("workload-shop-route-shop", "apisix-webhook"))
}

// APISIX's data plane stores upstream addresses, so a gate checks them after each rollout of the
// workload or of the data plane. Traefik watches the Pods itself, and needs no such gate.
func TestRouteGatesWaitForWorkloadRollout(t *testing.T) {
	gated := func(image string, replicas int) (graph, upstreams.Spec, health.Spec) {
		p := newProgram(t, "local")
		p.set(t, "ingress", map[string]any{"controllers": []string{"traefik", "apisix"}})
		p.set(t, "apisix", map[string]any{"replicas": replicas})
		p.set(t, "apps", map[string]any{"workloads": []any{map[string]any{
			"name": "shop", "image": image,
			"routes": []any{map[string]any{},
				map[string]any{"controller": "apisix", "host": "shop2"}},
		}}})
		g := p.graph(t)
		require.Contains(t, g, "workload-shop-apisix-upstreams")
		assert.NotContains(t, g, "workload-shop-traefik-upstreams")
		spec, err := kinds.Parse([]byte(g["workload-shop-apisix-upstreams"].Text("stdin")))
		require.NoError(t, err)
		return g, spec.Body.(upstreams.Spec), spec
	}
	g, asked, first := gated("a:1", 2)
	require.Len(t, asked.Routes, 1)
	assert.Equal(t, "ApisixRoute apps/"+asked.Routes[0].Name, asked.Routes[0].String())
	for _, before := range []string{"workload-shop-rollout", "apisix-rollout"} {
		assert.True(t, g.reaches("workload-shop-apisix-upstreams", before), before)
	}
	environment, marked := g["workload-shop-apisix-upstreams"].Input("environment")
	assert.True(t, marked || environment.ContainsSecrets(), "the viewer's key")
	_, _, again := gated("a:2", 2)
	assert.NotEqual(t, first.Revision, again.Revision, "another rollout of the workload")
	_, _, again = gated("a:1", 3)
	assert.NotEqual(t, first.Revision, again.Revision, "another rollout of the data plane")
}

// Each route must have an object of its own, whatever the names of workloads, hosts and paths are.
func TestEveryRouteHasItsOwnObject(t *testing.T) {
	g := withRoutes(t,
		map[string]any{"name": "a", "routes": []any{
			map[string]any{"host": "b-c"}, map[string]any{"path": "/a/b"},
			map[string]any{"path": "/a-b"},
			map[string]any{"kind": "HTTPRoute"},
			map[string]any{"kind": "HTTPRoute", "controller": "apisix"},
		}},
		map[string]any{"name": "a-b", "routes": []any{map[string]any{"host": "c"}}},
	)
	names := map[string]string{}
	for _, route := range routesOf(g, "HTTPRoute") {
		name := at(t, g[route], "metadata", "name").StringValue()
		assert.Empty(t, names[name], "%s is %s as well", name, route)
		names[name] = route
	}
	assert.Len(t, names, 6)
}

// APISIX matches whole paths, so the path and its subpaths are two patterns.
func TestApisixRouteMatchesPathAndSubpaths(t *testing.T) {
	for path, matched := range map[string][]string{"/": {"/*"}, "/api": {"/api", "/api/*"}} {
		g := withRoutes(t,
			map[string]any{"name": "shop",
				"routes": []any{map[string]any{"controller": "apisix", "path": path}}})
		routes := routesOf(g, "ApisixRoute")
		require.Len(t, routes, 1)
		var found []string
		for _, one := range at(t, g[routes[0]], "spec", "http", "match", "paths").ArrayValue() {
			found = append(found, one.StringValue())
		}
		assert.Equal(t, matched, found)
	}
}

// requestedURLs returns the URLs that the gate of a workload's routes requests.
func requestedURLs(t *testing.T, g graph) []string {
	t.Helper()
	spec, err := kinds.Parse([]byte(g["workload-shop-traefik"].Text("stdin")))
	require.NoError(t, err)
	var urls []string
	for _, probe := range spec.Body.(http.Spec).Probes {
		urls = append(urls, probe.URL)
		assert.NotContains(t, probe.Status, 404, "which is the ingress's answer without a route")
		assert.Equal(t, !strings.HasSuffix(probe.URL, "/healthz"),
			slices.Contains(probe.Status, 405),
			"%s: a probe that is ready answers 200 to 399", probe.URL)
	}
	return urls
}

// The gate requests the readiness path below a route, because an application may not serve the
// route's path itself.
func TestRouteGateRequestsReadinessPath(t *testing.T) {
	g := withRoutes(t,
		map[string]any{"name": "shop", "probes": map[string]any{"ready": "/api/healthz"},
			"routes": []any{
				map[string]any{}, map[string]any{"path": "/api"}, map[string]any{"path": "/api/"},
				map[string]any{"path": "/ap"}, map[string]any{"host": "shop2", "path": "/old"},
			}})
	const base = "https://shop.local.strata.test"
	assert.Equal(t,
		[]string{base + "/api/healthz", base + "/api/healthz", base + "/api/healthz", base + "/ap",
			"https://shop2.local.strata.test/old"}, requestedURLs(t, g))
}
