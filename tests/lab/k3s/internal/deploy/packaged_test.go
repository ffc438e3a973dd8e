package deploy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/k3s/internal/deploy"
)

var values = deploy.Values{ClusterDNS: "10.43.0.10", ClusterDomain: "cluster.local", CoreDNSImage: "coredns:1", MetricsImage: "metrics:1"}

func TestPackagedManifestsAreWrittenWithTheirValues(t *testing.T) {
	dir := t.TempDir()
	removed, err := deploy.Stage(dir, nil, values)
	require.NoError(t, err)
	assert.Empty(t, removed)
	data, err := os.ReadFile(filepath.Join(dir, "coredns.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(data), `clusterIP: "10.43.0.10"`)
	assert.Contains(t, string(data), `image: "coredns:1"`)
	assert.NotContains(t, string(data), "%{")
}

func TestDisabledComponentIsUninstalled(t *testing.T) {
	dir := t.TempDir()
	_, err := deploy.Stage(dir, nil, values)
	require.NoError(t, err)
	removed, err := deploy.Stage(dir, []string{"metrics-server", "traefik"}, values)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, "metrics-server.yaml"))
	require.Contains(t, removed, "metrics-server")
	assert.Contains(t, string(removed["metrics-server"]), "v1beta1.metrics.k8s.io")
	assert.FileExists(t, filepath.Join(dir, "coredns.yaml"))
}

func TestRoleBindingsCannotBeDisabled(t *testing.T) {
	dir := t.TempDir()
	removed, err := deploy.Stage(dir, []string{"rolebindings"}, values)
	require.NoError(t, err)
	assert.Empty(t, removed)
	assert.FileExists(t, filepath.Join(dir, "rolebindings.yaml"))
}

func TestAbsentComponentsAreListedUnlessDisabled(t *testing.T) {
	assert.Equal(t, []string{"traefik", "servicelb", "local-storage"}, deploy.Missing(nil))
	assert.Empty(t, deploy.Missing([]string{"traefik", "servicelb", "local-storage"}))
	assert.Empty(t, deploy.CheckDisable([]string{"traefik", "servicelb", "gateway-api-crd", "coredns"}))
	assert.Len(t, deploy.CheckDisable([]string{"trafik"}), 1)
}
