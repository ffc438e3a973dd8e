package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/tests/lab/tools/apisix/admin"
)

// named starts a server that stands in for a Pod and responds with its name.
func named(t *testing.T, name string) admin.Upstream {
	t.Helper()
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(name)) }),
	)
	t.Cleanup(server.Close)
	return admin.Upstream{ID: name, Nodes: []admin.Node{nodeOf(t, server.URL)}}
}

// shop returns a route with its own upstream, stable, and further upstreams with their weights.
func shop(stable admin.Upstream, others []admin.Upstream, weighted ...map[string]any) admin.Config {
	all := config(rule{id: "shop", hosts: []string{"shop.test"}, uris: []string{"/*"}, nodes: stable.Nodes})
	if len(weighted) > 0 {
		all.Services[0].Plugins = map[string]any{
			admin.TrafficSplit: map[string]any{"rules": []any{map[string]any{"weighted_upstreams": weighted}}},
		}
	}
	all.Upstreams = append(all.Upstreams, others...)
	return all
}

// answers sends n requests, and counts the responses.
func answers(t *testing.T, p *plane, n int) map[string]int {
	t.Helper()
	counted := map[string]int{}
	for range n {
		_, body := ask(t, p.proxy("http"), httptest.NewRequest(http.MethodPost, "http://shop.test/", nil))
		counted[strings.TrimSpace(body)]++
	}
	return counted
}

func TestRequestsAreSplitByWeight(t *testing.T) {
	stable, canary := named(t, "stable"), named(t, "canary")
	for name, c := range map[string]struct {
		weights []any
		canary  int
	}{
		"one in twenty":                      {[]any{95, 5}, 5},
		"a quarter":                          {[]any{75, 25}, 25},
		"half":                               {[]any{50, 50}, 50},
		"canary of weight 0":                 {[]any{100, 0}, 0},
		"canary without a weight, default 1": {[]any{99, nil}, 1},
		"all of weight 0":                    {[]any{0, 0}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPlane()
			own, other := map[string]any{
				"weight": c.weights[0],
			}, map[string]any{
				"upstream_id": "canary",
				"weight":      c.weights[1],
			}
			if c.weights[1] == nil {
				delete(other, "weight")
			}
			configure(t, p, shop(stable, []admin.Upstream{canary}, own, other))
			if got := answers(t, p, 100); got["canary"] != c.canary || got["stable"] != 100-c.canary {
				t.Errorf("expected %d of 100 from the canary, found %v", c.canary, got)
			}
		})
	}
}

// A new configuration must not restart the round robin. Otherwise, a canary with a small weight
// would never get a request.
func TestWeightedRoundContinuesAfterNewConfiguration(t *testing.T) {
	stable, canary := named(t, "stable"), named(t, "canary")
	p, got := testPlane(), map[string]int{}
	for range 10 {
		configure(
			t,
			p,
			shop(
				stable,
				[]admin.Upstream{canary},
				map[string]any{"weight": 95},
				map[string]any{"upstream_id": "canary", "weight": 5},
			),
		)
		for name, n := range answers(t, p, 10) {
			got[name] += n
		}
	}
	if got["canary"] != 5 {
		t.Errorf("expected 5 of 100, found %v", got)
	}
}

// Routes and upstreams are updated one after the other. While a route names a missing upstream, all
// its requests fail, even those that would go to another upstream.
func TestRouteFailsWhileItsUpstreamIsMissing(t *testing.T) {
	stable, canary := named(t, "stable"), named(t, "canary")
	alone := shop(stable, nil)
	both := shop(
		stable,
		[]admin.Upstream{canary},
		map[string]any{"weight": 100},
		map[string]any{"upstream_id": "canary", "weight": 0},
	)
	const lost = `{"error_msg":"failed to fetch upstream info by upstream id: canary"}`
	for name, c := range map[string]struct{ from, to admin.Config }{"it comes": {alone, both},
		"it goes": {both, alone}} {
		for first, take := range map[string]func(*plane){"routes first": (*plane).takeRoutes,
			"upstreams first": (*plane).takeUpstreams} {
			p := testPlane()
			configure(t, p, c.from)
			before := answers(t, p, 10)
			send(t, p, c.to)
			take(p)
			want := "stable"
			if (name == "it comes") == (first == "routes first") {
				want = lost
			}
			if got := answers(t, p, 10); before["stable"] != 10 || got[want] != 10 {
				t.Errorf("%s, %s: expected 10 of %s, found %v after %v", name, first, want, got, before)
			}
		}
	}
}

// Like APISIX, the data plane rejects the whole configuration.
func TestDuplicateUpstreamIDIsRejected(t *testing.T) {
	p, canary := testPlane(), named(t, "canary")
	code, text := put(t, p, admin.Config{Upstreams: []admin.Upstream{canary, canary}})
	if code != 400 || !strings.Contains(text, "found duplicate id canary in upstreams") || p.sent.Load() != nil {
		t.Errorf("expected 400 and no change, found %d %s", code, text)
	}
}
