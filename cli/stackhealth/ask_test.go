package stackhealth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/hosts/inventory"
	"strata/health"
	"strata/health/server"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote/sshtest"
)

func TestGatesUseSpecsAndSecretsFromState(t *testing.T) {
	server := sshtest.Start(t)
	answer := func(state, sub string) sshtest.Handler {
		return func(call sshtest.Call) int {
			_, _ = fmt.Fprintf(call.Stdout,
				"LoadState=loaded\nActiveState=%s\nSubState=%s\nNRestarts=0\nend\n", state, sub)
			<-call.Gone
			return 0
		}
	}
	gates, err := inventory.Gates(stateWithAGate(t, server))
	require.NoError(t, err)
	require.Len(t, gates, 1, "neither another command nor what a replacement has left to delete")
	want := expected{gates: []health.Spec{gates[0].Spec}}
	ask := func(timeout time.Duration) (Round, string) {
		round := Round{
			Gates: want.merge(
				Question{Timeout: timeout, TimeoutKey: "--timeout"}.askAll(t.Context(), gates,
					io.Discard)),
			expected: want}
		var out bytes.Buffer
		require.NoError(t, round.Write(&out, true))
		return round, out.String()
	}
	server.Handler = answer("active", "running")
	round, text := ask(15 * time.Second)
	assert.True(t, round.Open())
	assert.Contains(t, text, "agent-1-gate")
	assert.Contains(t, text, "1 of 1 gates open")

	server.Handler = answer("failed", "failed")
	round, text = ask(500 * time.Millisecond)
	assert.False(t, round.Open())
	assert.Contains(t, text, "0 of 1 gates open")
}

// stateWithAGate returns a state with a gate that checks an agent's K3s unit on host, and with
// resources that are no gates.
func stateWithAGate(t *testing.T, host *sshtest.Server) *stackstate.State {
	t.Helper()
	text := func(value any) string {
		quoted, err := json.Marshal(value)
		require.NoError(t, err)
		return string(quoted)
	}
	spec := text(health.Spec{Body: server.Spec{}, Gate: "agent-1-gate", Layer: "k3s",
		Timeout:    metav1.Duration{Duration: 10 * time.Minute},
		TimeoutKey: "strata:timeouts.api",
		Hosts:      []health.Host{{Target: host.Target(), Role: "agent"}}})
	secret := fmt.Sprintf(`{"%s":"%s","plaintext":%s}`, sig.Key, sig.Secret,
		text(text(string(host.PrivateKey()))))
	state, err := stackstate.Parse([]byte(fmt.Sprintf(`{"version":3,"deployment":{"resources":[
		{"urn":"a","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata gate","stdin":%s,"environment":{"STRATA_SSH_KEY":%s}}},
		{"urn":"b","type":"command:local:Command","inputs":{"create":"exec .strata/bin/strata push","stdin":"{}"}},
		{"urn":"c","type":"command:local:Command","delete":true,"inputs":{"create":"exec .strata/bin/strata gate","stdin":"old"}},
		{"urn":"d","type":"pulumi:pulumi:Stack"}]}}`, text(spec), secret)))
	require.NoError(t, err)
	return state
}

func TestUnknownGateErrorListsGatesOfStateAndConfiguration(t *testing.T) {
	gates := []inventory.Gate{{Spec: health.Spec{Gate: "k3s-api"}},
		{Spec: health.Spec{Gate: "k3s-nodes"}}}
	want := expected{gates: []health.Spec{{Gate: "k3s-api"}, {Gate: "k3s-system"}}}
	selected, held, err := selectGates(gates, want, []string{"k3s-api", "k3s-system"})
	require.NoError(t, err)
	require.Len(t, selected, 1)
	assert.Equal(t, "k3s-api", selected[0].Spec.Gate)
	assert.Equal(t, want.gates, held.gates, "one is missing")
	_, _, err = selectGates(gates, want, []string{"k3s-node"})
	require.ErrorContains(t, err, "k3s-api, k3s-nodes, k3s-system")
}
