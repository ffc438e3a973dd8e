package stackhealth

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/inventory"
	"strata/health"
	"strata/internal/ssh/remote"
)

func TestReaderAsksNoGateThatNeedsMore(t *testing.T) {
	needs := map[health.Kind]string{}
	for _, kind := range health.Kinds {
		needs[kind] = needOf(health.Spec{Kind: kind, HTTP: &health.HTTPSpec{}})
	}
	assert.Equal(t, map[health.Kind]string{
		health.KindAddress: "", health.KindAPI: "", health.KindApplications: "",
		health.KindCertificate: "", health.KindClaim: "", health.KindCRDs: "",
		health.KindGateway: "", health.KindHTTP: "", health.KindIssuer: "", health.KindNamespace: "",
		health.KindNodes: "", health.KindPool: "", health.KindRollout: "",
		health.KindSystem: "",
		health.KindHost:   "a login on the host (SSH)", health.KindServer: "a login on the host (SSH)",
		health.KindVM:      "a login on the hypervisor",
		health.KindWebhook: "dry runs (create)", health.KindVault: "get pods/proxy",
		health.KindMetrics:   "get services/proxy",
		health.KindUpstreams: "create pods/portforward",
	}, needs, "a new kind is one or the other")
	assert.Equal(t, "get secrets for the CA",
		needOf(health.Spec{Kind: health.KindHTTP, HTTP: &health.HTTPSpec{CASecret: "a/b"}}))
	for _, probe := range []health.HTTPProbe{{Auth: true}, {Login: true}, {KeyHeader: "x"}} {
		assert.Equal(t, "passwords of the state",
			needOf(health.Spec{Kind: health.KindHTTP, HTTP: &health.HTTPSpec{Probes: []health.HTTPProbe{probe}}}))
	}
	far := health.Host{
		Target: remote.Target{Name: "a", Address: "10.0.0.1", Jump: []remote.Hop{{Address: "10.0.0.2"}},
			DynamicForward: 1080}}
	assert.Equal(t, "a login at the jump host (SSH)",
		needOf(health.Spec{Kind: health.KindAPI, Hosts: []health.Host{far}}))
}

func TestReaderHasNoSecretButItsKubeconfig(t *testing.T) {
	secrets := health.Secrets{SSHKey: []byte("k"), Kubeconfig: []byte("admin"), APIKey: []byte("a"),
		BasicAuth: []byte("b")}
	asked, others := ofReader([]inventory.Gate{
		{Spec: health.Spec{Kind: health.KindAPI, Gate: "k3s-api"}, Secrets: secrets},
		{Spec: health.Spec{Kind: health.KindVault, Gate: "vault"}, Secrets: secrets},
	}, []byte("reader"))
	require.Len(t, asked, 1)
	assert.Equal(t, health.Secrets{Kubeconfig: []byte("reader"), Reader: true}, asked[0].Secrets)
	require.Len(t, others, 1)
	assert.Equal(t, "needs get pods/proxy", others[0].Checks[0].Message)
	assert.False(t, others[0].Passes())
}

func TestReadersRoundNamesWhatItDidNotAsk(t *testing.T) {
	open := func(gate string, kind health.Kind) AskedGate {
		checks := []health.Verdict{{Check: gate, State: health.Ready}}
		return AskedGate{Result: health.NewResult(health.Spec{Gate: gate, Kind: kind}, health.EndedOpen, 0, checks)}
	}
	round := Round{Stack: "dev", Reader: true, Gates: []AskedGate{
		open("k3s-api", health.KindAPI), open("k3s-nodes", health.KindNodes),
		{Result: health.NotAsked(health.Spec{Gate: "metallb-webhook", Kind: health.KindWebhook},
			beyond[health.KindWebhook])},
	}}
	var out bytes.Buffer
	require.NoError(t, round.Write(&out, true))
	assert.Regexp(t, `metallb-webhook +Skipped +- +-\n`, out.String())
	assert.Contains(t, out.String(), "not asked with this kubeconfig:\n  metallb-webhook needs dry runs (create)\n"+
		"asked in part with this kubeconfig:\n  k3s-nodes needs a login on hosts (SSH) for their units and Pod network\n2 of 2 gates open\n")
	assert.True(t, round.Open())

	file := filepath.Join(t.TempDir(), "a.prom")
	require.NoError(t, round.WriteMetrics(t.Context(), file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `strata_gate_open{gate="k3s-api"`)
	assert.NotContains(t, string(text), `strata_gate_open{gate="metallb-webhook"`, "neither open nor an alert")
	assert.NotContains(t, string(text), `strata_gate_ask_duration_seconds{gate="metallb-webhook"`)
	assert.Contains(t, string(text),
		`strata_gate_state{gate="metallb-webhook",kind="webhook",layer="",stack="dev",state="skipped"} 1`)

	round.Gates = append(round.Gates,
		AskedGate{Result: health.NotMade(health.Spec{Gate: "k3s-system", Kind: health.KindSystem})})
	assert.False(t, round.Open())
	assert.Contains(t, round.summary(), "2 of 3 gates open, 1 missing")
}
