package drift_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/drift"
)

func TestUpstreamArtifactIsFoundByFileName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"k3s-v1.36.3+k3s1", "k3s-install-v1.36.3+k3s1.sh", "k3s-images-1.tar",
		"traefik-chart-41.3.0.tgz", "pulumi-resource-command-v1.2.1"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	t.Setenv(drift.Variable, dir)
	for artifact, want := range map[string]string{
		"k3s": "v1.36.3+k3s1", "k3s-install": "v1.36.3+k3s1", "traefik-chart": "41.3.0",
		"pulumi-resource-command": "v1.2.1",
	} {
		found, there, err := drift.Original(artifact)
		require.NoError(t, err)
		assert.True(t, there, artifact)
		assert.Equal(t, want, found.Version)
		assert.FileExists(t, found.Path)
	}
	_, there, err := drift.Original("traefik-crds")
	require.NoError(t, err)
	assert.False(t, there)
}

func TestTwoVersionsOfUpstreamArtifactAreRejected(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"k3s-v1.36.3+k3s1", "k3s-v1.34.2+k3s1"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	t.Setenv(drift.Variable, dir)
	_, _, err := drift.Original("k3s")
	assert.ErrorContains(t, err, "are both k3s")
}

func TestMissingUpstreamFolderIsAnError(t *testing.T) {
	t.Setenv(drift.Variable, filepath.Join(t.TempDir(), "none"))
	_, _, err := drift.Original("k3s")
	assert.ErrorContains(t, err, drift.Variable)
	t.Setenv(drift.Variable, "")
	_, there, err := drift.Original("k3s")
	require.NoError(t, err)
	assert.False(t, there)
}
