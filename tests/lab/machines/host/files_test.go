package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemoveIfEmptyStopsAtFirstNonEmptyDirectory(t *testing.T) {
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

func TestWriteFileReplacesContentAndMode(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "sub", "file")
	require.NoError(t, WriteFile(path, []byte("old"), 0o644))
	require.NoError(t, WriteFile(path, []byte("new"), 0o600))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.Error(t, WriteFile(filepath.Dir(path), nil, 0o600), "a folder stays")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "a failed write leaves no part")
	assert.True(t, IsPart(".spec.json-4711", "spec.json"))
	assert.False(t, IsPart("spec.json", "spec.json"))
}
