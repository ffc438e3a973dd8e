package upstreams

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/observe"
)

func TestUpstreamsVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "upstreams", judgeUpstreams)
}

// The texts are the configuration that ADC 0.27 sends for a route with two backends, and other
// forms of it.
func TestRouteAddressesAreReadFromDataPlaneConfig(t *testing.T) {
	shop := RouteRef{Kind: "HTTPRoute", Namespace: "apps", Name: "shop"}
	const labels = `"labels": {"k8s/kind": "HTTPRoute", "k8s/namespace": "apps", "k8s/name": "shop"}`
	for name, c := range map[string]struct {
		text string
		want routeHeld
	}{
		"its own upstream and one of a plugin": {`{"services": [{"id": "a1", "upstream_id": "a1", ` + labels + `}], "upstreams": [
			{"id": "a1", "nodes": [{"host": "10.0.0.2", "port": 80, "weight": 95}]},
			{"id": "b2", "labels": {"__ADC_UPSTREAM_SERVICE_ID": "a1"}, "nodes": [{"host": "10.0.0.1", "port": 80, "weight": 5}]},
			{"id": "c3", "labels": {"__ADC_UPSTREAM_SERVICE_ID": "other"}, "nodes": [{"host": "10.0.0.9", "port": 80}]}]}`,
			routeHeld{Known: true, Addresses: []string{"10.0.0.1:80", "10.0.0.2:80"}}},
		"two rules": {`{"services": [{"id": "1", "upstream_id": "1", ` + labels +
			`}, {"id": "2", "upstream_id": "2", ` + labels +
			`}], "upstreams": [{"id": "1", "nodes": [{"host": "10.0.0.1", "port": 80}]}, {"id": "2", "nodes": [{"host": "10.0.0.1", "port": 80}]}]}`, routeHeld{Known: true, Addresses: []string{"10.0.0.1:80"}}},
		"the upstream is in the service": {`{"services": [{"id": "1", ` + labels +
			`, "upstream": {"nodes": {"10.0.0.1:80": 1}}}]}`,
			routeHeld{Known: true, Addresses: []string{"10.0.0.1:80"}}},
		"empty, as Lua writes it": {`{"services": [{"id": "1", "upstream_id": "1", ` + labels +
			`}], "upstreams": [{"id": "1", "labels": [], "nodes": {}}]}`, routeHeld{Known: true}},
		"the upstream is missing": {`{"services": [{"id": "1", "upstream_id": "1", ` + labels + `}]}`,
			routeHeld{Known: true}},
		"a route of another kind": {`{"services": [{"id": "1", "labels": {"k8s/kind": "ApisixRoute", "k8s/namespace": "apps", "k8s/name": "shop"}}]}`, routeHeld{}},
		"nothing was ever sent":   {`{"services_conf_version": 0}`, routeHeld{}},
	} {
		t.Run(name, func(t *testing.T) {
			var config planeConfig
			require.NoError(t, json.Unmarshal([]byte(c.text), &config))
			assert.Equal(t, c.want, config.findRoute(shop))
		})
	}
}

func TestBackendServicesAreReadFromRoute(t *testing.T) {
	parse := func(text string) map[string]any { return *healthtest.Decode[map[string]any](t, text) }
	for kind, text := range map[string]string{
		"HTTPRoute":   `spec: {rules: [{backendRefs: [{name: a, port: 80}, {name: b, namespace: else, port: 81}]}, {backendRefs: [{name: a, port: 80}]}]}`,
		"ApisixRoute": `spec: {http: [{backends: [{serviceName: a, servicePort: 80}]}, {backends: [{serviceName: b, servicePort: web}]}]}`,
		"Ingress":     `spec: {rules: [{http: {paths: [{backend: {service: {name: a, port: {number: 80}}}}, {backend: {service: {name: b, port: {name: web}}}}]}}]}`,
	} {
		found := backendsOf(RouteRef{Kind: kind, Namespace: "apps", Name: "r"}, parse(text))
		second := backend{"apps", "b", "web"}
		if kind == "HTTPRoute" {
			second = backend{"else", "b", "81"}
		}
		assert.Equal(t, []backend{{"apps", "a", "80"}, second}, found, kind)
	}
}

// Each new difference is timed from zero, whatever the time of the previous one. So a Pod that has
// just become ready gets the full time.
func TestChangedUpstreamDifferenceIsTimedAnew(t *testing.T) {
	now := time.Unix(0, 0)
	w := &upstreamsWatch{stable: observe.NewStable(func() time.Time { return now })}
	want := routeSeen{Route: "HTTPRoute apps/shop", Addresses: []string{"10.0.0.1:80"}}
	stale := routeHeld{Known: true, Addresses: []string{"10.0.0.9:80"}}
	assert.Zero(t, w.differenceSeconds("p", want, stale))
	now = now.Add(200 * time.Second)
	assert.Equal(t, 200, w.differenceSeconds("p", want, stale))
	want.Addresses = append(want.Addresses, "10.0.0.2:80")
	assert.Zero(t, w.differenceSeconds("p", want, stale), "another Pod became ready")
	now = now.Add(10 * time.Second)
	assert.Equal(t, 10, w.differenceSeconds("p", want, stale))
	assert.Zero(t, w.differenceSeconds("other", want, stale), "each Pod of the data plane by itself")
	assert.Zero(t, w.differenceSeconds("p", want, routeHeld{Known: true, Addresses: want.Addresses}))
	assert.Zero(t, w.differenceSeconds("p", want, stale), "it was well in between")
	now = now.Add(10 * time.Second)
	behind, missing := want, want
	behind.Behind, missing.Missing = "the EndpointSlices are behind the Pods", true
	assert.Zero(t, w.differenceSeconds("p", behind, stale), "the data plane cannot be ahead of the cluster")
	assert.Zero(t, w.differenceSeconds("p", want, stale))
	now = now.Add(10 * time.Second)
	assert.Zero(t, w.differenceSeconds("p", missing, stale), "no request goes to a route that is not there")
	assert.Zero(t, w.differenceSeconds("p", want, stale))
}

func TestForwardedPortIsClosedOnce(t *testing.T) {
	stopped := 0
	w := &upstreamsWatch{tunnels: map[string]tunnel{"a": {client: &http.Client{},
		stop: func() { stopped++ }}}}
	w.close("b")
	w.close("a")
	w.close("a")
	assert.Equal(t, 1, stopped)
	assert.Empty(t, w.tunnels)
}

func TestUpstreamsSpecErrorsNameFields(t *testing.T) {
	good := Spec{
		Namespace: "n", Selector: "a=b", Port: 9180, Controller: "n/Deployment/c",
		Resync: metav1.Duration{Duration: time.Minute},
		Routes: []RouteRef{{Kind: "HTTPRoute", Namespace: "n", Name: "r"}},
	}
	check := func(change func(*Spec)) error {
		spec := good
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(*Spec) {}))
	require.ErrorContains(t, check(func(s *Spec) { s.Selector = "" }),
		"namespace, selector or port")
	require.ErrorContains(t, check(func(s *Spec) { s.Port = 0 }), "namespace, selector or port")
	require.ErrorContains(t, check(func(s *Spec) { s.Controller = "c" }), "upstreams.controller")
	require.ErrorContains(t, check(func(s *Spec) { s.Resync = metav1.Duration{} }),
		"upstreams.resync")
	require.ErrorContains(t, check(func(s *Spec) { s.Routes = nil }), "upstreams.routes")
	require.ErrorContains(t, check(func(s *Spec) {
		s.Routes = []RouteRef{{Kind: "TCPRoute", Namespace: "n", Name: "r"}}
	}), "TCPRoute")
	require.ErrorContains(t, check(func(s *Spec) {
		s.Routes = []RouteRef{{Kind: "Ingress", Name: "r"}}
	}), "routes[0]: namespace or name")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"upstreams: missing")
	_, err := good.NewWatch(health.Spec{Body: good}, health.Secrets{})
	require.Error(t, err)
}
