package graph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/tests/pulumitest"
)

// With a virtual API address, each server configures the address once its API serves. Users of the
// kubeconfig must wait until the address answers.
func TestKubeconfigUsersWaitForVIP(t *testing.T) {
	p := newProgram(t, "staging")
	p.set(t, "k3s", map[string]any{"vip": "10.10.0.10"})
	g := p.graph(t)
	for _, rule := range rules {
		assert.Empty(t, rule.check(p, g), rule.name)
	}
	for _, server := range []string{"server-1", "server-2", "server-3"} {
		assert.True(t, g.reaches("k3s-"+server+"-keepalived", "k3s-"+server+"-gate"), server)
		assert.True(t, g.reaches("k3s-endpoint", "k3s-"+server+"-keepalived"), server)
		install := g["k3s-"+server+"-keepalived"]
		told := hostRun(t, install)
		assert.Contains(t, told.Script, "VIP='10.10.0.10'")
		assert.Contains(t, told.Delete, "disable --now keepalived")
	}
	for _, name := range []string{"k3s-provider", "metallb-release"} {
		assert.True(t, g.reaches(name, "k3s-endpoint"), name)
	}
	// K3s's certificate contains a new virtual address only after k3s-upgrade has restarted K3s. So
	// the address's gate must run after the upgrade.
	for _, name := range []string{"k3s-members", "k3s-upgrade"} {
		assert.False(t, g.reaches(name, "k3s-endpoint"), name)
		assert.True(t, g.reaches("k3s-endpoint", name), name)
	}
	assert.Contains(t, g["k3s-endpoint"].Text("stdin"), `"servers":["https://10.10.0.10:6443"]`)
	assert.Contains(t, g["hosts-server-1-gate"].Text("stdin"), `"programs":["keepalived"]`)
	assert.NotContains(t, g["hosts-agent-1-gate"].Text("stdin"), "keepalived")

	without := newProgram(t, "staging").graph(t)
	require.NotContains(t, without, "k3s-endpoint")
	assert.NotContains(t, without, "k3s-server-1-keepalived")
}

// hostRun returns the input of a command for a host.
func hostRun(t *testing.T, r pulumitest.Resource) (told hostrun.Input) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.Text("stdin")), &told), r.Name)
	return told
}
