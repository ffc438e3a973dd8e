package fleet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/layout"
)

// write writes a stack's configuration file with an SSH key, and returns its path.
func write(t *testing.T, keyFile string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Pulumi.local.yaml")
	text := `config:
  strata:hosts:
    driver: existing
    subnet: 10.10.0.0/24
    ssh: {user: root, keyFile: ` + keyFile + `}
    nodes:
      - {name: server-1, role: server, address: 10.10.0.11}
      - {name: agent-1, role: agent, address: 10.10.0.21}
`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, keyFile string) (*Fleet, bool) {
	t.Helper()
	at := layout.Layout{Checkout: t.TempDir(), Cache: t.TempDir()}
	fleet, isOurs, err := Read(at, "local", write(t, keyFile))
	require.NoError(t, err)
	return fleet, isOurs
}

func TestOnlyStacksWithLabKeyHaveMachines(t *testing.T) {
	for keyFile, want := range map[string]bool{
		".strata/lab/local/key": true, "./.strata/lab/local/key": true,
		".strata/lab/rehearsal/key": false, "~/.ssh/id_ed25519": false, `""`: false,
	} {
		_, isOurs := read(t, keyFile)
		assert.Equal(t, want, isOurs, keyFile)
	}
	_, _, err := Read(layout.Layout{}, "kind", "missing")
	require.ErrorContains(t, err, "stack file of kind")
}

func TestEachNodeGetsAMachineOnTheStacksBridge(t *testing.T) {
	fleet, _ := read(t, ".strata/lab/local/key")
	owner, err := fleet.ensureOwner()
	require.NoError(t, err)
	again, err := fleet.ensureOwner()
	require.NoError(t, err)
	assert.Equal(t, owner, again, "it is made once")
	image := bundle.Artifact{Path: "machine/image.tar", SHA256: "ab"}
	require.Len(t, fleet.hosts.Nodes, 2)
	spec := fleet.spec(fleet.hosts.Nodes[1], image, owner)
	assert.Equal(t, "local-agent-1", spec.Name)
	assert.Equal(t, "agent-1", spec.Hostname)
	assert.Equal(t, "lab-local", spec.Bridge)
	assert.Equal(t, "10.10.0.1", spec.Gateway.String())
	assert.Equal(t, "10.10.0.21", spec.Address.String())
	assert.Equal(t, owner, spec.AuthorizedKey)
	assert.Equal(t, filepath.Join(fleet.folder, "hosts/agent-1"), spec.HostKeyFile)

	fleet.stack = "rehearsal"
	assert.Equal(t, "lab-rehearsal", fleet.bridge())
	fleet.stack = "a-stack-of-a-long-name"
	assert.LessOrEqual(t, len(fleet.bridge()), 15)
}

// The stack's configuration names the key. The key must not exist while no machine runs, because
// Strata would then wait for hosts that do not run.
func TestLabKeyExistsOnlyWhileMachinesRun(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("machines need root")
	}
	fleet, _ := read(t, ".strata/lab/local/key")
	_, err := fleet.ensureOwner()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, fleet.hide()) })
	require.NoError(t, fleet.show())
	require.NoError(t, fleet.show(), "again")
	want, err := os.ReadFile(fleet.login())
	require.NoError(t, err)
	got, err := os.ReadFile(fleet.key())
	require.NoError(t, err)
	assert.Equal(t, want, got)
	info, err := os.Stat(fleet.key())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, os.Remove(fleet.link())) // as a reboot does
	_, err = os.Stat(fleet.key())
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, fleet.show())
	require.NoError(t, fleet.hide())
	_, err = os.Stat(fleet.key())
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.FileExists(t, fleet.login(), "it is the machines' as long as they are there")
}
