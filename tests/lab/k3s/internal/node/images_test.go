package node

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// start imports a folder's archives once, and returns the names of the imported ones.
func start(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	importArchives(dir, func(file string) error {
		names = append(names, filepath.Base(file))
		return nil
	})
	return names
}

func TestEveryStartImportsAllArchivesAgain(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.tar"), []byte("images"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), nil, 0o600))
	assert.Equal(t, []string{"a.tar"}, start(t, dir))
	assert.Equal(t, []string{"a.tar"}, start(t, dir))
	assert.NoFileExists(t, filepath.Join(dir, imageCache), "K3s never creates it")
}

func TestImageCacheSkipsUnchangedArchives(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.tar")
	require.NoError(t, os.WriteFile(archive, []byte("images"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, imageCache), nil, 0o600))
	assert.Equal(t, []string{"a.tar"}, start(t, dir), "an empty cache knows nothing")
	assert.Empty(t, start(t, dir))

	later := time.Now().Add(time.Hour)
	require.NoError(t, os.WriteFile(archive, []byte("IMAGES"), 0o600))
	require.NoError(t, os.Chtimes(archive, later, later))
	assert.Empty(t, start(t, dir), "another content of the same size is not seen")
	require.NoError(t, os.WriteFile(archive, []byte("more images"), 0o600))
	require.NoError(t, os.Chtimes(archive, later, later))
	assert.Equal(t, []string{"a.tar"}, start(t, dir))
}

// Upstream's image archives are compressed with zstd, which Debian's containerd does not support.
func TestArchivesWithZstdExtensionAreDecompressed(t *testing.T) {
	dir := t.TempDir()
	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for name, content := range map[string][]byte{"a.tar": []byte("images"), "b.tar.zst": packer.EncodeAll([]byte("images"), nil), "c.tzst": packer.EncodeAll([]byte("images"), nil)} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, content, 0o600))
		archive, err := openArchive(file)
		require.NoError(t, err, name)
		found, err := io.ReadAll(archive)
		require.NoError(t, err, name)
		assert.Equal(t, "images", string(found), name)
		require.NoError(t, archive.Close())
	}
}
