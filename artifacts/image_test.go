package artifacts

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestCheckUpstreamFindsImageWithoutDownload(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method
		if r.URL.Path != "/debian.qcow2" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	image := Artifact{Name: "vm-image", Version: "debian", SHA256: "0123456789abcdef", Size: 4,
		from: sourceOf(config.Artifacts{}), url: server.URL + "/debian.qcow2"}.place("debian.qcow2")
	path, err := image.AtHand(project)
	require.NoError(t, err)
	assert.Empty(t, path)
	require.NoError(t, image.CheckUpstream(t.Context()))
	assert.Equal(t, http.MethodHead, asked)
	image.url = server.URL + "/gone.qcow2"
	require.ErrorContains(t, image.CheckUpstream(t.Context()), "404")
	server.Close()
	require.Error(t, image.CheckUpstream(t.Context()))

	file := filepath.Join(project, image.Path)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte("disk"), 0o600))
	path, err = image.AtHand(project)
	require.NoError(t, err)
	assert.Equal(t, file, path)
}

func TestVMImageMissingFromBundleFolderIsAnError(t *testing.T) {
	image := Artifact{Name: "vm-image", source: filepath.Join(t.TempDir(), "disk.qcow2")}
	_, err := image.AtHand(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, image.CheckUpstream(t.Context()), "bundle")
}
