package stackhealth

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/nodes"
)

// An open gate may have a warning, such as a node that takes no new Pods.
func TestRoundShowsWarningsOfOpenGates(t *testing.T) {
	checks := []health.Verdict{
		{Check: "node agent-1", State: health.Ready, Message: "cordoned: takes no new Pods",
			Hint: "kubectl uncordon agent-1"},
		{Check: "metrics", State: health.Skipped, Message: "disabled", Hint: "nothing to do"},
		{Check: "node server-1", State: health.Ready},
	}
	gate := AskedGate{Result: health.NewResult(health.Spec{Gate: "k3s-nodes", Body: nodes.Spec{}},
		health.EndedOpen, 0, checks)}
	for reports, count := range map[bool]int{true: 1, false: 0} {
		var out bytes.Buffer
		require.NoError(t, Round{Gates: []AskedGate{gate}}.Write(&out, reports))
		assert.Equal(t, count, bytes.Count(out.Bytes(), []byte("warning")), "%s", &out)
		if reports {
			assert.Contains(t, out.String(),
				"\nwarning k3s-nodes: node agent-1: cordoned: takes no new Pods; kubectl "+
					"uncordon agent-1\n1 of 1 gates open\n")
		}
	}
}
