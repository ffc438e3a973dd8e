package upstreams

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"strata/health/healthtest"
)

// A data plane must have the ready addresses at the port that the route names. A slice of a Service
// with one port need not name that port.
func TestReadyAddressesUseRoutePort(t *testing.T) {
	addresses := func(port, slice string) []string {
		return readyAddresses([]discoveryv1.EndpointSlice{
			*healthtest.Decode[discoveryv1.EndpointSlice](t, slice)}, port)
	}
	const two = `ports: [{name: admin, port: 9000}, {name: http, port: 8080}]
endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2], conditions: {ready: false}}, {addresses: [10.0.0.3], conditions: {ready: true}}]`
	assert.Equal(t, []string{"10.0.0.1:8080", "10.0.0.3:8080"}, addresses("http", two))
	assert.Empty(t, addresses("metrics", two), "a port that the slice does not have")
	assert.Empty(t, addresses("", two), "a port without a name, where all have one")
	const unnamed = `{ports: [{port: 8080}], endpoints: [{addresses: [10.0.0.1]}]}`
	assert.Equal(t, []string{"10.0.0.1:8080"}, addresses("", unnamed))
	assert.Empty(t, addresses("http", unnamed))
	assert.Empty(t, addresses("http", `{ports: [{name: http}], endpoints: [{addresses: [10.0.0.1]}]}`), "any port, of a headless Service")
}

// EndpointSlices follow the Pods with a delay. A route that matches outdated slices is outdated as
// well.
func TestEndpointSlicesThatDifferFromPodsAreDetected(t *testing.T) {
	pod := func(text string) corev1.Pod { return *healthtest.Decode[corev1.Pod](t, text) }
	ready := pod(`{metadata: {name: new}, status: {podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: "True"}]}}`)
	starting := pod(`{metadata: {name: starting}, status: {podIPs: [{ip: 10.0.0.2}], conditions: [{type: Ready, status: "False"}]}}`)
	leaving := pod(`{metadata: {name: leaving, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {podIPs: [{ip: 10.0.0.3}], conditions: [{type: Ready, status: "True"}]}}`)
	of, all := backend{"apps", "shop", "80"}, []corev1.Pod{ready, starting, leaving}
	assert.Empty(t, lag(of, []string{"10.0.0.1:8080"}, all))
	assert.Equal(t, "Pod new is ready and not yet in the EndpointSlices of Service apps/shop",
		lag(of, nil, all))
	assert.Equal(t, "the EndpointSlices of Service apps/shop still have 10.0.0.2 10.0.0.3, where no ready Pod is",
		lag(of, []string{"10.0.0.3:8080", "10.0.0.1:8080", "10.0.0.2:8080"}, all))
	assert.Empty(t, lag(of, nil, nil))
}
