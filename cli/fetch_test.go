package cli

import (
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/artifacts"
	"strata/config"
)

// mirrored answers like a mirror: it serves K3s's lists of sums, and a file at every other path.
func mirrored(w http.ResponseWriter, r *http.Request) {
	content := func(at string) string { return "content of " + at }
	folder, name := path.Split(r.URL.Path)
	if !strings.HasPrefix(name, "sha256sum-") {
		_, _ = fmt.Fprint(w, content(r.URL.Path))
		return
	}
	for _, file := range []string{"k3s", "k3s-arm64", "k3s-airgap-images-amd64.tar.zst", "k3s-airgap-images-arm64.tar.zst"} {
		_, _ = fmt.Fprintf(w, "%x  %s\n", sha256.Sum256([]byte(content(folder+file))), file)
	}
}

// stackWithMirror returns the file of a stack on an existing cluster, with server as its mirror.
func stackWithMirror(t *testing.T, server *httptest.Server) []byte {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{"config": map[string]any{
		"strata:cluster": map[string]any{"context": "kind-kind"},
		"strata:metallb": map[string]any{"addresses": []string{"172.18.255.200-172.18.255.250"}},
		"strata:artifacts": map[string]any{"mirror": server.URL,
			"mirrorCA": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
				Bytes: server.Certificate().Raw}))},
	}})
	require.NoError(t, err)
	return text
}

func TestFetchLocksAllPinsFromMirror(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(mirrored))
	t.Cleanup(server.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.dev.yaml"),
		stackWithMirror(t, server), 0o600))
	code, stdout, stderr := invoke(t, "", "fetch", "--project", project)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "strata.lock has the sums of")
	lock, err := artifacts.ReadLock(project)
	require.NoError(t, err)
	for _, pin := range config.Pins() {
		_, found := lock.Find(pin)
		assert.True(t, found, pin.Name)
	}
}

func TestFetchImagesFailsOutsideCheckout(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(mirrored))
	t.Cleanup(server.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.dev.yaml"),
		stackWithMirror(t, server), 0o600))
	code, _, stderr := invoke(t, "", "fetch", "--images", "--project", project)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "fetch --images:")
	assert.Contains(t, stderr, "run it in a checkout of Strata")
}
