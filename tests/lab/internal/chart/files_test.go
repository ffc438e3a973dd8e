package chart_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"

	"strata/tests/lab/internal/chart"
)

func TestPackageCombinesChartFilesOfSeveralSources(t *testing.T) {
	files := chart.Files{}
	require.NoError(t, files.Add(folder(t, true)))
	require.NoError(t, files.Replace("values.yaml", "a: 1", "a: 2"))
	files["templates/own.yaml"] = "kind: Secret\n"
	out := filepath.Join(t.TempDir(), "c.tgz")
	require.NoError(t, files.Package("1.2.3", out))
	loaded, err := loader.LoadFile(out)
	require.NoError(t, err)
	assert.EqualValues(t, 2, loaded.Values["a"])
	var names []string
	for _, template := range loaded.Templates {
		names = append(names, template.Name)
	}
	assert.Contains(t, names, "templates/own.yaml")
}

func TestReplaceRequiresExactlyOneMatch(t *testing.T) {
	files := chart.Files{"x": "one two two"}
	assert.ErrorContains(t, files.Replace("x", "three", ""), `"three" 0 times`)
	assert.ErrorContains(t, files.Replace("x", "two", ""), `"two" 2 times`)
	assert.ErrorContains(t, files.Replace("y", "two", ""), "chart file y")
}
