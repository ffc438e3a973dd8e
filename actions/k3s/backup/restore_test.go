package backup

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

// A restore's copies hold every Secret of the cluster. The next restore removes the copies of a
// killed one.
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
