package nodes

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
	"strata/internal/remote"
)

// A route may be missing for as long as an end of it is down; the time counts from when both are up, and anew after each absence.
func TestAMissingRouteIsHeldAgainstFlannelFromWhenBothEndsAreUp(t *testing.T) {
	now := time.Unix(0, 0)
	a, b := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}, health.Host{Target: remote.Target{Name: "b"}, Role: "agent"}
	up := host.UnitFacts{Seen: true, Active: "active", Sub: "running", Routes: []string{"10.42.0.0/24", "10.42.1.0/24"}}
	cut := up
	cut.Routes = nil
	down := host.UnitFacts{Seen: true, Active: "activating", Sub: "start"}
	seen := &nodesAndUnits{
		hosts: []health.Host{a, b}, asked: true, network: netip.MustParsePrefix("10.42.0.0/16"), stable: observe.NewStable(func() time.Time { return now }),
		units: []host.UnitFacts{down, up}, nodes: &Facts{Nodes: []nodeFacts{
			{Name: "a", Server: true, PodCIDR: "10.42.0.0/24", Ready: kube.Condition{Status: "True"}, Heartbeat: heartbeatFresh},
			{Name: "b", PodCIDR: "10.42.1.0/24", Ready: kube.Condition{Status: "True"}, Heartbeat: heartbeatFresh},
		}},
	}
	after := func(seconds int, unit host.UnitFacts) health.State {
		now = now.Add(time.Duration(seconds) * time.Second)
		seen.update(func() { seen.units[0] = unit })
		return health.StateOf(seen.judge())
	}
	assert.Equal(t, health.Waiting, after(0, down))
	assert.Equal(t, health.Waiting, after(routeSeconds, cut), "down until now")
	assert.Equal(t, health.Waiting, after(routeSeconds-1, cut))
	assert.Equal(t, health.Ready, after(0, up))
	assert.Equal(t, health.Waiting, after(1, cut), "it was there in between")
	assert.Equal(t, health.Stuck, after(routeSeconds, cut))
}
