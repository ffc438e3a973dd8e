package nodes

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/host"
	"strata/health/kube"
	"strata/internal/ssh/remote"
)

func TestNodeVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "nodes", judgeNodes)
}

func TestRegisteredNodeVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "nodes_registered",
		func(_ struct{}, f Facts) []health.Verdict { return JudgeRegistered(f) })
}

func TestPodNetworkVerdictsMatchFixtures(t *testing.T) {
	type spec struct {
		Spec
		Expected []health.Host `json:"expected"`
	}
	healthtest.RunFixtures(t, "network", func(s spec, f networkFacts) []health.Verdict {
		verdicts := []health.Verdict{judgePodNetwork(s.Expected[0], s.Spec, s.Expected, f)}
		if s.Kubelets {
			verdicts = append(verdicts, judgeKubelets(s.Expected[0], f.Ways))
		}
		return verdicts
	})
}

func TestNodesGateRequiresHost(t *testing.T) {
	require.ErrorContains(t, healthtest.Valid(Spec{}).Validate(),
		"hosts: empty; an empty node set is never ready")
	require.NoError(t, healthtest.Valid(Spec{Registered: true}).Validate(),
		"Nodes that there are need none")
}

// Without an SSH key, the state of the Nodes comes from the API alone.
func TestUnitChecksAreSkippedWithoutSSHKey(t *testing.T) {
	h := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}
	seen := newNodesAndUnits([]health.Host{h}, Spec{}, false, nil)
	seen.nodes = &Facts{Nodes: []nodeFacts{
		{Name: "a", Server: true, Ready: kube.Condition{Status: "True"}, Heartbeat: heartbeatFresh},
	}}
	verdicts := seen.judge()
	assert.Equal(t, health.Verdict{Check: host.UnitCheck(h), State: health.Skipped,
		Message: host.NoKey}, verdicts[0])
	assert.Equal(t, health.Ready, health.StateOf(verdicts))
}

func TestNodesGateStaysClosedWithoutNodes(t *testing.T) {
	h := health.Host{Target: remote.Target{Name: "a"}, Role: "server"}
	seen := newNodesAndUnits([]health.Host{h}, Spec{}, true, nil)
	seen.update(func() {
		seen.units[0] = host.UnitFacts{Seen: true, Active: "active",
			Sub: "running"}
	})
	assert.Nil(t, seen.judge())
	seen.update(func() { seen.nodes = &Facts{} })
	assert.Equal(t, health.Ready, seen.judge()[0].State)
	assert.Equal(t, health.Waiting, health.StateOf(seen.judge()))
}

// A single host has no other kubelet to ask.
func TestKubeletChecksNeedSeveralHosts(t *testing.T) {
	hosts := []health.Host{{Target: remote.Target{Name: "a"}, Role: "server"},
		{Target: remote.Target{Name: "b"}, Role: "agent"}}
	checks := func(hosts []health.Host) (names []string) {
		seen := newNodesAndUnits(hosts, Spec{Kubelets: true}, true, nil)
		seen.nodes = &Facts{}
		for _, v := range seen.judge() {
			names = append(names, v.Check)
		}
		return names
	}
	assert.Equal(t, []string{"unit a", "unit b", "node a", "node b", "node set", "kubelets from a",
		"kubelets from b"}, checks(hosts))
	assert.Equal(t, []string{"unit a", "node a", "node set"}, checks(hosts[:1]))
}

func TestNodesSpecOfExistingClusterRequiresNoHosts(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, NodeSet: true, Optional: true}, Spec{}.Traits())
	assert.Equal(t, health.Traits{Kind: Kind, Optional: true}, Spec{Registered: true}.Traits(),
		"Nodes that there are need no host")
}
