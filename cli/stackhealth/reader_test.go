package stackhealth

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/inventory"
	"strata/health"
	"strata/health/address"
	"strata/health/api"
	"strata/health/applications"
	"strata/health/certificate"
	"strata/health/claim"
	"strata/health/crds"
	"strata/health/gateway"
	"strata/health/host"
	"strata/health/http"
	"strata/health/issuer"
	"strata/health/kinds"
	"strata/health/metrics"
	"strata/health/namespace"
	"strata/health/nodes"
	"strata/health/pool"
	"strata/health/rollout"
	"strata/health/server"
	"strata/health/system"
	"strata/health/upstreams"
	"strata/health/vault"
	"strata/health/vm"
	"strata/health/webhook"
	"strata/internal/ssh/remote"
)

func TestGatesThatReaderCannotRunNameMissingPermission(t *testing.T) {
	needs := map[health.Kind]string{}
	for kind := range kinds.Bodies {
		spec, err := kinds.Parse(fmt.Appendf(nil, `{"kind":%q,%q:{}}`, kind, kind))
		require.NoError(t, err)
		needs[kind] = needOf(spec)
	}
	assert.Equal(t, map[health.Kind]string{
		address.Kind: "", api.Kind: "", applications.Kind: "", certificate.Kind: "", claim.Kind: "",
		crds.Kind:    "",
		gateway.Kind: "", http.Kind: "", issuer.Kind: "", namespace.Kind: "", nodes.Kind: "",
		pool.Kind: "", rollout.Kind: "",
		system.Kind: "",
		host.Kind:   "a login on the host (SSH)", server.Kind: "a login on the host (SSH)",
		vm.Kind:      "a login on the hypervisor",
		webhook.Kind: "dry runs (create)", vault.Kind: "get pods/proxy",
		metrics.Kind:   "get services/proxy",
		upstreams.Kind: "create pods/portforward",
	}, needs, "a new kind is one or the other")
	assert.Equal(t, "get secrets for the CA", needOf(health.Spec{Body: http.Spec{CASecret: "a/b"}}))
	for _, probe := range []http.Probe{{Auth: true}, {Login: true}, {KeyHeader: "x"}} {
		assert.Equal(t, "passwords of the state",
			needOf(health.Spec{Body: http.Spec{Probes: []http.Probe{probe}}}))
	}
	far := health.Host{Target: remote.Target{Name: "a", Address: "10.0.0.1",
		Jump: []remote.Hop{{Address: "10.0.0.2"}}, DynamicForward: 1080}}
	assert.Equal(t, "a login at the jump host (SSH)",
		needOf(health.Spec{Body: api.Spec{}, Hosts: []health.Host{far}}))
}

func TestGatesOfReaderGetOnlyReaderKubeconfig(t *testing.T) {
	secrets := health.Secrets{SSHKey: []byte("k"), Kubeconfig: []byte("admin"), APIKey: []byte("a"),
		BasicAuth: []byte("b")}
	asked, others := ofReader([]inventory.Gate{
		{Spec: health.Spec{Body: api.Spec{}, Gate: "k3s-api"}, Secrets: secrets},
		{Spec: health.Spec{Body: vault.Spec{}, Gate: "vault"}, Secrets: secrets},
	}, []byte("reader"))
	require.Len(t, asked, 1)
	assert.Equal(t, health.Secrets{Kubeconfig: []byte("reader"), Reader: true}, asked[0].Secrets)
	require.Len(t, others, 1)
	assert.Equal(t, "needs get pods/proxy", others[0].Checks[0].Message)
	assert.False(t, others[0].Passes())
}

func TestRoundOfReaderListsGatesThatDidNotRun(t *testing.T) {
	open := func(gate string, body health.Body) AskedGate {
		checks := []health.Verdict{{Check: gate, State: health.Ready}}
		return AskedGate{Result: health.NewResult(health.Spec{Gate: gate, Body: body},
			health.EndedOpen, 0, checks)}
	}
	round := Round{Stack: "dev", Reader: true, Gates: []AskedGate{
		open("k3s-api", api.Spec{}), open("k3s-nodes", nodes.Spec{}),
		{Result: health.NotAsked(health.Spec{Gate: "metallb-webhook", Body: webhook.Spec{}},
			beyond[webhook.Kind])},
	}}
	var out bytes.Buffer
	require.NoError(t, round.Write(&out, true))
	assert.Regexp(t, `metallb-webhook +Skipped +- +-\n`, out.String())
	assert.Contains(t, out.String(), "not asked with this kubeconfig:\n  metallb-webhook needs dry runs (create)\n"+
		"asked in part with this kubeconfig:\n  k3s-nodes needs a login on hosts (SSH) for their "+
		"units and Pod network\n2 of 2 gates open\n")
	assert.True(t, round.Open())

	file := filepath.Join(t.TempDir(), "a.prom")
	require.NoError(t, round.WriteMetrics(t.Context(), file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `strata_gate_open{gate="k3s-api"`)
	assert.NotContains(t, string(text), `strata_gate_open{gate="metallb-webhook"`,
		"neither open nor an alert")
	assert.NotContains(t, string(text), `strata_gate_ask_duration_seconds{gate="metallb-webhook"`)
	assert.Contains(t, string(text),
		`strata_gate_state{gate="metallb-webhook",kind="webhook",layer="",stack="dev",state="skipped"} 1`)

	round.Gates = append(round.Gates, AskedGate{
		Result: health.NotMade(health.Spec{Gate: "k3s-system", Body: system.Spec{}})})
	assert.False(t, round.Open())
	assert.Contains(t, round.summary(), "2 of 3 gates open, 1 missing")
}
