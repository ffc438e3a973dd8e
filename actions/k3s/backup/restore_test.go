package backup

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/upgrade"
	"strata/health"
	"strata/internal/ssh/remote"
)

// A restore's copies hold every Secret of the cluster. The next restore removes the copies of a
// killed restore.
func TestRestoreRemovesCopiesOfKilledRestore(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left := filepath.Join(os.TempDir(), "strata-restore-4711")
	require.NoError(t, os.Mkdir(left, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(left, "on-demand-server-1-1"), nil, 0o600))
	file := filepath.Join(t.TempDir(), "on-demand-server-1-2")
	require.NoError(t, os.WriteFile(file, []byte("no snapshot"), 0o600))
	plan := Plan{Wanted: Wanted{File: file, Snapshot: "on-demand-server-1-2"}}
	_, err := plan.putAhead(t.Context(), health.Host{}, io.Discard)
	require.ErrorContains(t, err, "snapshot on-demand-server-1-2")
	entries, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestRestorePlanNamesDeletedNodesOfLostServers(t *testing.T) {
	var nodes []health.Host
	for name, role := range map[string]string{"server-1": "server", "server-2": "server",
		"agent-1": "agent"} {
		nodes = append(nodes, health.Host{Target: remote.Target{Name: name}, Role: role})
	}
	plan, err := Cluster{plan: upgrade.Plan{Nodes: nodes}}.Plan(Wanted{Current: true,
		From: "server-1", Without: []string{"agent-1", "server-2"}})
	require.NoError(t, err)
	var told strings.Builder
	require.NoError(t, plan.Describe(&told))
	assert.Contains(t, told.String(), "server-1 becomes the only member, with its own data and "+
		"without the Nodes of server-2: ", "an agent's Node counts for nothing")
}
