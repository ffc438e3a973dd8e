package charts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/drift"
)

// driftOf runs the comparison of charts in another process, with a bundle and with empty files of
// these names as upstream charts.
func driftOf(t *testing.T, bundle string, originals ...string) (said string, passed bool) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range originals {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self, "-test.v",
		"-test.run=^TestChartsDifferFromUpstreamOnlyAsReviewed$")
	command.Env = append(os.Environ(), drift.Variable+"="+dir, config.ArtifactsVariable+"="+bundle)
	text, err := command.CombinedOutput()
	return string(text), err == nil
}

func TestChartComparisonFailsWithoutBundle(t *testing.T) {
	said, passed := driftOf(t, t.TempDir(), "metallb-chart-0.16.2.tgz")
	assert.False(t, passed, said)
	assert.Contains(t, said, "make lab builds one")

	said, passed = driftOf(t, t.TempDir(), "k3s-v1.36.3+k3s1", "metallb-chart-images-v0.16.2.tar")
	assert.True(t, passed, "a folder may have no chart: %s", said)
	assert.Contains(t, said, "no chart was compared")
}

// Otherwise a chart with a misspelt name, or of a layer that no test stack has, would be ignored.
func TestUpstreamChartWithoutReleaseIsReported(t *testing.T) {
	all := map[string]*compared{"metallb-chart": {}, "gateway-api-crds": {}}
	assert.Equal(t, []string{"metalb-chart-0.16.2.tgz", "vault-chart-0.34.1.tgz"},
		notCompared(all, []string{
			"gateway-api-crds-v1.6.1.yaml", "metalb-chart-0.16.2.tgz", "metallb-chart-0.16.2.tgz",
			"vault-chart-0.34.1.tgz",
		}))
}
