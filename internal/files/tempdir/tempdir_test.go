package tempdir

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

func TestFolderIsPrivateAndRemovable(t *testing.T) {
	parent := t.TempDir()
	folder, err := New(parent, "strata-")
	require.NoError(t, err)
	info, err := os.Stat(folder.Path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path, "secret"), nil, 0o600))
	require.NoError(t, folder.Remove())
	assert.Empty(t, names(t, parent))
}

// A kill leaves a folder without a lock.
func TestNewFolderRemovesLeftoversButNoFolderInUse(t *testing.T) {
	parent := t.TempDir()
	left, other := filepath.Join(parent, "strata-left"), filepath.Join(parent, "other")
	for _, folder := range []string{left, other} {
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "secret"), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(parent, "strata-file"), nil, 0o600))
	first, err := New(parent, "strata-")
	require.NoError(t, err)
	assert.NoDirExists(t, left)
	second, err := New(parent, "strata-")
	require.NoError(t, err)
	assert.DirExists(t, first.Path, "its process is alive")
	require.NoError(t, first.Remove())
	require.NoError(t, second.Remove())
	assert.ElementsMatch(t, []string{"other", "strata-file"}, names(t, parent),
		"neither is of this kind")
}

func TestConcurrentCallersGetSeparateFolders(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			folder, err := New(parent, "strata-")
			if assert.NoError(t, err) {
				assert.NoError(t, os.WriteFile(filepath.Join(folder.Path, "file"), nil, 0o600))
				assert.NoError(t, folder.Remove())
			}
		})
	}
	all.Wait()
	assert.Empty(t, names(t, parent))
}

func TestMissingParentErrorNamesFolder(t *testing.T) {
	_, err := New(filepath.Join(t.TempDir(), "missing"), "strata-")
	require.ErrorContains(t, err, "missing")
}
