package stackhealth

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/inventory"
	"strata/health"
)

// closedBelow returns gates that depend on one another, and their results. k3s-nodes is closed.
// Gates that depend on it time out, except one that is stuck for its own reason and one that was
// not run.
func closedBelow() (gates []inventory.Gate, results []health.Result) {
	add := func(name string, ending health.Ending, below ...string) {
		spec := health.Spec{Gate: name, Layer: "l"}
		gates = append(gates, inventory.Gate{Spec: spec, Below: below})
		state := health.Waiting
		if ending == health.EndedOpen {
			state = health.Ready
		}
		results = append(results, health.NewResult(spec, ending, 0,
			[]health.Verdict{{Check: "check of " + name, State: state, Message: "m", Hint: "h"}}))
	}
	add("k3s-api", health.EndedOpen)
	add("k3s-nodes", health.EndedTimeout, "k3s-api")
	add("metallb-pool", health.EndedTimeout, "k3s-nodes", "k3s-api")
	add("traefik-address", health.EndedTimeout, "metallb-pool", "k3s-nodes", "k3s-api")
	add("traefik-rollout", health.EndedStuck, "k3s-nodes", "k3s-api")
	add("argocd-rollout", health.EndedTimeout, "traefik-rollout")
	add("argocd-web", health.EndedNotAsked, "k3s-nodes")
	return gates, results
}

func TestRootOfClosedGateIsFirstClosedGateThatItDependsOn(t *testing.T) {
	assert.Equal(t, map[string]string{"metallb-pool": "k3s-nodes", "traefik-address": "k3s-nodes",
		"argocd-rollout": "traefik-rollout"}, findRoots(closedBelow()))
}

func TestRoundReportsRootsAndCountsGatesBehindThem(t *testing.T) {
	gates, results := closedBelow()
	want := expected{}
	for _, gate := range gates {
		want.gates = append(want.gates, gate.Spec)
	}
	round := Round{Gates: want.merge(results), expected: want}
	round.setBehind(gates)
	show := func() string {
		var out bytes.Buffer
		require.NoError(t, round.Write(&out, true))
		return out.String()
	}
	text := show()
	assert.Contains(t, text, "check of k3s-nodes")
	assert.Contains(t, text, "check of traefik-rollout", "it is stuck")
	assert.NotContains(t, text, "check of metallb-pool")
	assert.NotContains(t, text, "check of traefik-address")
	assert.Contains(t, text,
		"2 gates behind k3s-nodes are closed as well (strata health --all shows them)\n"+
			"1 gate behind traefik-rollout is closed as well (strata health --all shows them)\n")
	assert.Contains(t, text, "1 of 6 gates open", "they count as closed")

	round.All = true
	text = show()
	assert.Contains(t, text, "check of metallb-pool")
	assert.NotContains(t, text, "closed as well")
}

func TestVerifyReportsRootsAndCountsGatesBehindThem(t *testing.T) {
	gates, results := closedBelow()
	err := Question{Stack: "staging"}.reportClosed(results[1:4], 9, findRoots(gates, results[1:4]))
	require.ErrorContains(t, err, "3 of the 9 gates")
	require.ErrorContains(t, err, "check of k3s-nodes")
	require.ErrorContains(t, err, "2 gates behind k3s-nodes are closed as well")
	assert.NotContains(t, err.Error(), "check of metallb-pool")
}
