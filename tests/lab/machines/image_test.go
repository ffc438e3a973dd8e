package machines

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
	// Programs append padding to a tar file, and the checksum covers it.
	b.Write(make([]byte, 64<<10))
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(sum[:])
}

func TestImageWithMatchingChecksumIsExtracted(t *testing.T) {
	content, sha := tinyImage(t)
	target := filepath.Join(t.TempDir(), "image")
	require.NoError(t,
		extractInto(t.Context(), target, bytes.NewReader(content), Spec{Image: "x.tar", ImageSHA256: sha}))
	assert.FileExists(t, filepath.Join(target, "etc/os-release"))
}

func TestErrorForWrongChecksumNamesImage(t *testing.T) {
	content, sha := tinyImage(t)
	err := extractInto(t.Context(), filepath.Join(t.TempDir(), "image"), bytes.NewReader(content),
		Spec{Image: "x.tar", ImageSHA256: testSHA})
	require.ErrorContains(t, err, "machine image x.tar: expected sha256 "+testSHA+", found "+sha)
}

func TestErrorForFileThatIsNoTarNamesFile(t *testing.T) {
	noise := bytes.Repeat([]byte("no tar\n"), 4096)
	err := extractInto(t.Context(), filepath.Join(t.TempDir(), "image"), bytes.NewReader(noise),
		Spec{Image: "x.tar", ImageSHA256: testSHA})
	require.ErrorContains(t, err, "extracting x.tar")
}
