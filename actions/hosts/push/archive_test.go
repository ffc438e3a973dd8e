package push

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tarOf returns a tar of files by their names.
func tarOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var content bytes.Buffer
	writer := tar.NewWriter(&content)
	for name, text := range files {
		require.NoError(t,
			writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)),
				Typeflag: tar.TypeReg}))
		_, err := writer.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return content.Bytes()
}

func TestArchiveImageNamesMatchContainerd(t *testing.T) {
	saved := tarOf(t, map[string]string{
		"manifest.json": `[{"RepoTags":["traefik:v3","quay.io/a/b:1"]},{"RepoTags":["apache/apisix:3","docker.io/redis:8","localhost/strata/x:1","host:5000/y:1"]},{"RepoTags":null}]`,
		"layer.tar":     "not read",
	})
	layout := tarOf(t, map[string]string{
		"oci-layout": "{}",
		"index.json": `{"manifests":[{"annotations":{"io.containerd.image.name":"quay.io/a/b@sha256:0"}},{"annotations":{"io.containerd.image.name":"quay.io/a/b:1"}},{}]}`,
	})
	var zipped bytes.Buffer
	gzipped := gzip.NewWriter(&zipped)
	_, err := gzipped.Write(saved)
	require.NoError(t, err)
	require.NoError(t, gzipped.Close())
	packer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	ofSaved := []string{"docker.io/apache/apisix:3", "docker.io/library/redis:8",
		"docker.io/library/traefik:v3", "host:5000/y:1", "localhost/strata/x:1", "quay.io/a/b:1"}
	for name, test := range map[string]struct {
		content []byte
		want    []string
	}{
		"saved.tar":      {saved, ofSaved},
		"saved.tar.gz":   {zipped.Bytes(), ofSaved},
		"saved.tar.zst":  {packer.EncodeAll(saved, nil), ofSaved},
		"layout.tar":     {layout, []string{"quay.io/a/b:1", "quay.io/a/b@sha256:0"}},
		"no-archive.tar": {tarOf(t, map[string]string{"a": "b"}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(file, test.content, 0o600))
			names, err := namesIn(file)
			require.NoError(t, err)
			assert.Equal(t, test.want, names)
		})
	}
}

func TestInvalidImageArchiveErrorNamesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "broken.tar.gz")
	require.NoError(t, os.WriteFile(file, []byte("no archive"), 0o600))
	_, err := namesIn(file)
	require.ErrorContains(t, err, file)
}
