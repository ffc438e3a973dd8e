package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteReplacesContentAndMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, Write(path, []byte("new"), 0o644))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode().Perm())
}

func TestFailedCopyKeepsOnlyOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	broken := io.MultiReader(strings.NewReader("half"), failing{})
	require.ErrorContains(t, Copy(path, broken, 0o600), "write "+path)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	require.Error(t, Write(filepath.Join(dir, "no", "folder"), nil, 0o600))
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// After a power cut, a renamed file is empty unless its content reached the disk before its name.
// If the folder did not reach the disk, the old file is back.
func TestWriteSyncsFileBeforeRenameAndFolderAfter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var synced []string
	flush = func(f *os.File) error {
		info, err := f.Stat()
		require.NoError(t, err)
		_, named := os.Stat(path)
		switch {
		case info.IsDir() && named == nil:
			synced = append(synced, "folder with the name")
		case !info.IsDir() && info.Size() == 3 && named != nil:
			synced = append(synced, "content without a name")
		default:
			synced = append(synced, "something else")
		}
		return f.Sync()
	}
	t.Cleanup(func() { flush = (*os.File).Sync })
	require.NoError(t, Write(path, []byte("new"), 0o644))
	assert.Equal(t, []string{"content without a name", "folder with the name"}, synced)
}

// A killed write leaves the files that exist just before the rename.
func TestIsPartRecognizesLeftoverOfKilledWrite(t *testing.T) {
	dir := t.TempDir()
	var there []string
	flush = func(*os.File) error {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range entries {
			there = append(there, entry.Name())
		}
		return errors.New("killed")
	}
	t.Cleanup(func() { flush = (*os.File).Sync })
	require.Error(t, Write(filepath.Join(dir, "spec.json"), []byte("new"), 0o644))
	require.Len(t, there, 1)
	assert.True(t, IsPart(there[0], "spec.json"), there[0])
	for _, other := range []string{"spec.json", ".spec.json", "spec.json-1", ".other.json-1"} {
		assert.False(t, IsPart(other, "spec.json"), other)
	}
}

func TestFailedFlushKeepsOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	flush = func(*os.File) error { return errors.New("the disk is gone") }
	t.Cleanup(func() { flush = (*os.File).Sync })
	require.ErrorContains(t, Write(path, []byte("new"), 0o644), "the disk is gone")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
}
