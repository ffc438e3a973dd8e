package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEmptyDirectoriesAreRemovedUpToTheFirstFullOne(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "a/b"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(top, "a/file"), nil, 0o600))
	require.NoError(t,
		RemoveIfEmpty(filepath.Join(top, "a/b/missing"), filepath.Join(top, "a/b"), filepath.Join(top, "a"), top))
	assert.NoDirExists(t, filepath.Join(top, "a/b"))
	assert.FileExists(t, filepath.Join(top, "a/file"))

	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	require.NoError(t, RemoveIfEmpty(link))
	_, err := os.Lstat(link)
	assert.NoError(t, err)
}
