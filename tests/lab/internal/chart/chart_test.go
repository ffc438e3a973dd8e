package chart_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
)

// folder writes a chart that depends on a subchart, and returns its folder. If withSubchart is
// true, the chart contains the subchart.
func folder(t *testing.T, withSubchart bool) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.2.3\ndependencies: [{name: " +
			"sub, version: 1.0.0}]\n",
		"values.yaml":           "a: 1\n",
		"templates/x.yaml":      "kind: ConfigMap\n",
		"templates/NOTES.orig":  "left out",
		".helmignore":           "*.orig\n",
		"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
	}
	if !withSubchart {
		delete(files, "charts/sub/Chart.yaml")
	}
	for path, text := range files {
		full := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
	return root
}

func TestPackagedChartLoadsWithItsSubcharts(t *testing.T) {
	out := filepath.Join(t.TempDir(), "c.tgz")
	require.NoError(t, chart.Package(folder(t, true), "1.2.3", out))
	loaded, err := loader.LoadFile(out)
	require.NoError(t, err)
	assert.Equal(t, "c", loaded.Name())
	require.Len(t, loaded.Dependencies(), 1)
	assert.Len(t, loaded.Templates, 1, "what .helmignore names is left out")
}

func TestChartPackagingIsReproducible(t *testing.T) {
	var sums []string
	for range 2 {
		out := filepath.Join(t.TempDir(), "c.tgz")
		require.NoError(t, chart.Package(folder(t, true), "1.2.3", out))
		sum, _, err := build.DigestFile(out)
		require.NoError(t, err)
		sums = append(sums, sum)
	}
	assert.Equal(t, sums[0], sums[1])
}

func TestChartWithoutItsSubchartIsRejected(t *testing.T) {
	err := chart.Package(folder(t, false), "1.2.3", filepath.Join(t.TempDir(), "c.tgz"))
	assert.ErrorContains(t, err, "subchart sub is missing")
}

func TestPackageRejectsChartOfAnotherVersion(t *testing.T) {
	err := chart.Package(folder(t, true), "1.2.4", filepath.Join(t.TempDir(), "c.tgz"))
	assert.ErrorContains(t, err, "has version 1.2.3, expected 1.2.4")
}
