package nodes

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/health/kube"
	"strata/internal/remote"
)

func TestNodesVerdicts(t *testing.T) { healthtest.RunFixtures(t, "nodes", judgeNodes) }

func TestRegisteredNodesVerdicts(t *testing.T) {
	healthtest.RunFixtures(t, "nodes_registered", func(_ struct{}, f Facts) []health.Verdict { return JudgeRegistered(f) })
}

func TestPodNetworkVerdicts(t *testing.T) {
	type spec struct {
		Network  netip.Prefix  `json:"network"`
		Expected []health.Host `json:"expected"`
	}
	healthtest.RunFixtures(t, "network", func(s spec, f networkFacts) []health.Verdict {
		return []health.Verdict{judgePodNetwork(s.Expected[0], s.Network, s.Expected, f)}
	})
}

// Without a key for SSH the API alone says how the Nodes are.
func TestUnitsThatMayNotBeAskedForAreSkipped(t *testing.T) {
	h := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}
	seen := &nodesAndUnits{hosts: []health.Host{h}, units: make([]host.UnitFacts, 1), nodes: &Facts{Nodes: []nodeFacts{
		{Name: "a", Server: true, Ready: kube.Condition{Status: "True"}, Heartbeat: heartbeatFresh},
	}}}
	verdicts := seen.judge()
	assert.Equal(t, health.Verdict{Check: host.UnitCheck(h), State: health.Skipped, Message: host.NoKey}, verdicts[0])
	assert.Equal(t, health.Ready, health.StateOf(verdicts))
}

func TestUnitsAloneOpenNoGate(t *testing.T) {
	h := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}
	seen := &nodesAndUnits{hosts: []health.Host{h}, asked: true, units: make([]host.UnitFacts, 1)}
	seen.update(func() { seen.units[0] = host.UnitFacts{Seen: true, Active: "active", Sub: "running"} })
	assert.Nil(t, seen.judge())
	seen.update(func() { seen.nodes = &Facts{} })
	assert.Equal(t, health.Ready, seen.judge()[0].State)
	assert.Equal(t, health.Waiting, health.StateOf(seen.judge()))
}
