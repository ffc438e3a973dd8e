package nodes

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	discoveryv1 "k8s.io/api/discovery/v1"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/ssh/remote"
)

// A route may be missing while one of the two nodes is down. So the time counts from the moment
// when both are up, and restarts from zero after each interruption.
func TestMissingFlannelRouteIsTimedWhileBothNodesRun(t *testing.T) {
	now := time.Unix(0, 0)
	a := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}
	b := health.Host{Target: remote.Target{Name: "b"}, Role: "agent"}
	up := host.UnitFacts{Seen: true, Active: "active", Sub: "running",
		Routes: []string{"10.42.0.0/24", "10.42.1.0/24"}}
	cut := up
	cut.Routes = nil
	down := host.UnitFacts{Seen: true, Active: "activating", Sub: "start"}
	spec := Spec{PodNetwork: netip.MustParsePrefix("10.42.0.0/16")}
	seen := newNodesAndUnits([]health.Host{a, b}, spec, true,
		observe.NewStable(func() time.Time { return now }))
	seen.units, seen.nodes = []host.UnitFacts{down, up}, &Facts{Nodes: []nodeFacts{
		{Name: "a", Server: true, PodCIDR: "10.42.0.0/24", Ready: kube.Condition{Status: "True"},
			Heartbeat: heartbeatFresh},
		{Name: "b", PodCIDR: "10.42.1.0/24", Ready: kube.Condition{Status: "True"},
			Heartbeat: heartbeatFresh},
	}}
	after := func(seconds int, unit host.UnitFacts) health.State {
		now = now.Add(time.Duration(seconds) * time.Second)
		seen.update(func() { seen.units[0] = unit })
		seen.update(func() {
			seen.answers = []map[string]host.Answer{{"10.42.1.1": host.AnswerFull},
				{"10.42.0.1": host.AnswerFull}}
		})
		return health.StateOf(seen.judge())
	}
	assert.Equal(t, health.Waiting, after(0, down))
	assert.Equal(t, health.Waiting, after(routeSeconds, cut), "down until now")
	assert.Equal(t, health.Waiting, after(routeSeconds-1, cut))
	assert.Equal(t, health.Ready, after(0, up))
	assert.Equal(t, health.Waiting, after(1, cut), "it was there in between")
	assert.Equal(t, health.Stuck, after(routeSeconds, cut))
}

// Each host probes the tunnel's address of another node or, without a tunnel, its bridge's address.
// A host skips an address to which it has no route inside the Pod network.
func TestHostProbesOtherNodesTunnelOrBridgeAddress(t *testing.T) {
	hosts := []health.Host{{Target: remote.Target{Name: "a"}}, {Target: remote.Target{Name: "b"}}}
	seen := newNodesAndUnits(hosts, Spec{PodNetwork: netip.MustParsePrefix("10.42.0.0/16")}, true,
		observe.NewStable(time.Now))
	routes := []string{"10.42.0.0/24", "10.42.1.0/24"}
	a := nodeFacts{Name: "a", PodCIDR: "10.42.0.0/24"}
	b := nodeFacts{Name: "b", PodCIDR: "10.42.1.0/24", InternalIP: "10.10.0.12"}
	after := func(change func()) string {
		seen.update(change)
		return seen.asks(0)
	}
	assert.Empty(t, after(func() { seen.units[0] = host.UnitFacts{Seen: true, Routes: routes} }),
		"no Node was seen")
	assert.Empty(t, after(func() { seen.nodes = &Facts{Nodes: []nodeFacts{a, b}} }),
		"b was not seen")
	assert.Equal(t, "10.42.1.0", after(func() {
		seen.units[1] = host.UnitFacts{Seen: true,
			Tunnel: true}
	}))
	assert.Empty(t, after(func() { seen.nodes = &Facts{Nodes: []nodeFacts{a}} }), "b has no Node")
	assert.Empty(t, after(func() { seen.nodes = &Facts{Nodes: []nodeFacts{a, {Name: "b"}}} }),
		"b's Pods have no range")
	seen.nodes = &Facts{Nodes: []nodeFacts{a, b}}
	assert.Empty(t, after(func() { seen.units[0].Routes = nil }), "there is no route")
	seen.units[0].Routes = routes
	assert.Empty(t, after(func() { seen.units[1] = host.UnitFacts{Seen: true} }),
		"host-gw, and b has no Pod yet")
	assert.Equal(t, "10.42.1.1", after(func() {
		seen.units[1] = host.UnitFacts{Seen: true,
			Routes: routes}
	}))
	assert.Equal(t, "10.42.0.1", seen.asks(1))
	seen.spec.Kubelets = true
	assert.Equal(t, "10.42.1.1 10.10.0.12", seen.asks(0), "the kubelet as well")

	withPod := b
	withPod.Pod = "10.42.1.7"
	seen.nodes.Nodes[1] = withPod
	assert.Equal(t, "10.42.1.1 10.42.1.7 10.10.0.12", seen.asks(0), "and a Pod")
	seen.update(func() { seen.hear(0, "10.42.1.7", host.AnswerEcho) })
	assert.Equal(t, host.AnswerEcho, seen.ways(0)[0].Forward)
	seen.nodes.Nodes[1] = b

	seen.update(func() { seen.hear(0, "10.42.1.1", host.AnswerNone) })
	seen.update(func() { seen.hear(0, "10.10.0.12", host.AnswerFull) })
	seen.update(func() { seen.hear(0, "10.42.1.1", host.AnswerFull) })
	assert.Equal(t, []way{{To: "b", Host: "10.10.0.12", Address: "10.42.1.1",
		Answer: host.AnswerFull, Kubelet: host.AnswerFull}}, seen.ways(0))
	seen.update(func() { seen.hear(0, "", "") })
	assert.Empty(t, seen.ways(0)[0].Answer, "a can no longer be asked")
	seen.update(func() { seen.hear(0, "10.42.1.1", host.AnswerFull) })
	seen.update(func() { seen.units[1] = host.UnitFacts{} })
	seen.update(func() { seen.units[1] = host.UnitFacts{Seen: true, Routes: routes} })
	assert.Empty(t, seen.ways(0)[0].Answer, "b was away in between")
}

func TestReadyPodWithLowestAddressInRangeIsFound(t *testing.T) {
	slices := []discoveryv1.EndpointSlice{*healthtest.Decode[discoveryv1.EndpointSlice](t, `
endpoints:
- {addresses: [10.42.1.2], conditions: {ready: false}}
- {addresses: [10.42.1.10]}
- {addresses: [10.42.1.9], conditions: {ready: true}}
- {addresses: [10.10.0.12, "fd00::1", 10.42.2.1]}
`)}
	assert.Equal(t, "10.42.1.9", findPod("10.42.1.0/24", slices))
	assert.Equal(t, "10.42.2.1", findPod("10.42.2.0/24", slices))
	assert.Empty(t, findPod("10.42.3.0/24", slices))
	assert.Empty(t, findPod("", slices))
}
