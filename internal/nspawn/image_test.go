package nspawn

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tinyImage(t *testing.T) (content []byte, sha string) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "etc/os-release", Mode: 0o644, Size: 3}))
	_, err := w.Write([]byte("ID=\n")[:3])
	require.NoError(t, err)
	require.NoError(t, w.Close())
	// Tools pad the end of a tar; the checksum is over the padding as well.
	b.Write(make([]byte, 64<<10))
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(sum[:])
}

func TestImageWithTheRightSumIsExtracted(t *testing.T) {
	content, sha := tinyImage(t)
	target := filepath.Join(t.TempDir(), "image")
	require.NoError(t, extractInto(t.Context(), target, bytes.NewReader(content), Spec{Image: "x.tar", ImageSHA256: sha}))
	assert.FileExists(t, filepath.Join(target, "etc/os-release"))
}

func TestImageWithAnotherSumIsRefusedByName(t *testing.T) {
	content, sha := tinyImage(t)
	err := extractInto(t.Context(), filepath.Join(t.TempDir(), "image"), bytes.NewReader(content), Spec{Image: "x.tar", ImageSHA256: testSHA})
	require.ErrorContains(t, err, "machine image x.tar: expected sha256 "+testSHA+", found "+sha)
}

func TestFileThatIsNoTarIsRefusedByName(t *testing.T) {
	noise := bytes.Repeat([]byte("no tar\n"), 4096)
	err := extractInto(t.Context(), filepath.Join(t.TempDir(), "image"), bytes.NewReader(noise), Spec{Image: "x.tar", ImageSHA256: testSHA})
	require.ErrorContains(t, err, "extracting x.tar")
}

func TestEmptyDirectoriesAreRemovedUpToTheFirstFullOne(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "a/b"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(top, "a/file"), nil, 0o600))
	require.NoError(t, removeIfEmpty(filepath.Join(top, "a/b/missing"), filepath.Join(top, "a/b"), filepath.Join(top, "a"), top))
	assert.NoDirExists(t, filepath.Join(top, "a/b"))
	assert.FileExists(t, filepath.Join(top, "a/file"))

	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	require.NoError(t, removeIfEmpty(link))
	_, err := os.Lstat(link)
	assert.NoError(t, err)
}
