package bench

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTallyWritesSumsOfAllParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	require.NoError(t, Tally(path, "engine/local", Kills, 5, 5))
	require.NoError(t, Tally(path, "lab/local", Kills, 3, 2))
	require.NoError(t, Tally(path, "engine/local", Kills, 7, 7),
		"a part that is tried again replaces itself")
	require.NoError(t, Tally(path, "engine/local", Histories, 1019, 0))
	all, err := Read(path)
	require.NoError(t, err)
	byName := map[string]Result{}
	for _, r := range all {
		byName[r.Name] = r
	}
	assert.Equal(t, 10.0, byName["kills_tried"].Value)
	assert.Equal(t, 9.0, byName["kills_converged"].Value)
	assert.False(t, byName["kills_converged"].Met(), "one did not")
	assert.False(t, byName["histories_checked"].Met(), "one is missing")
	assert.True(t, byName["histories_violated"].Met())
	require.NoError(t, Tally(path, "lab/local", Histories, 1, 1))
	all, err = Read(path)
	require.NoError(t, err)
	for _, r := range all {
		byName[r.Name] = r
	}
	assert.True(t, byName["histories_checked"].Met())
	assert.False(t, byName["histories_violated"].Met(), "one was violated")
}
