package helmchart_test

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts/helmchart"
)

// pack writes a packaged chart with these files, and returns its path.
func pack(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chart.tgz")
	file, err := os.Create(path)
	require.NoError(t, err)
	zipped := gzip.NewWriter(file)
	packed := tar.NewWriter(zipped)
	for name, text := range files {
		require.NoError(t, packed.WriteHeader(&tar.Header{Name: name, Mode: 0o600,
			Size: int64(len(text))}))
		_, err := packed.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, file.Close())
	return path
}

func TestChartKeysComeFromValuesSchemaAndDependencies(t *testing.T) {
	chart, err := helmchart.Read(pack(t, map[string]string{
		"edge/Chart.yaml": "name: edge\ndependencies: [{name: redis, alias: " +
			"cache}, {name: etcd}]\n",
		"edge/values.yaml":                    "image: {tag: 1}\nreplicas:\n",
		"edge/values.schema.json":             `{"properties": {"podLabels": {"type": "object"}}}`,
		"edge/charts/etcd/values.yaml":        "inner: 1\n",
		"edge/charts/crds/Chart.yaml":         "name: crds\n",
		"edge/templates/values.yaml":          "{{ not yaml",
		"edge/charts/etcd/values.schema.json": `{"properties": {"inner": {}}}`,
	}))
	require.NoError(t, err)
	assert.Equal(t, []string{"cache", "crds", "etcd", "global", "image", "podLabels", "redis",
		"replicas"},
		chart.Keys())

	chart, err = helmchart.Read(pack(t, map[string]string{
		"edge/values.schema.json": `{"$ref": "#/$defs/values", "$defs": {"values": {"properties": {"podLabels": {}}}, "other": {"properties": {"inner": {}}}}}`,
	}))
	require.NoError(t, err)
	assert.Equal(t, []string{"global", "podLabels"}, chart.Keys())
	chart, err = helmchart.Read(pack(t, map[string]string{"edge/values.yaml": "",
		"edge/values.schema.json": "{}"}))
	require.NoError(t, err)
	assert.Equal(t, []string{"global"}, chart.Keys())
}

func TestInvalidChartIsAnError(t *testing.T) {
	_, err := helmchart.Read(filepath.Join(t.TempDir(), "gone.tgz"))
	require.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "text.tgz")
	require.NoError(t, os.WriteFile(file, []byte("a text"), 0o600))
	_, err = helmchart.Read(file)
	require.ErrorContains(t, err, "text.tgz: ")
	_, err = helmchart.Read(pack(t, map[string]string{"edge/values.yaml": "- a list"}))
	require.ErrorContains(t, err, "edge/values.yaml: ")
	_, err = helmchart.Read(pack(t, map[string]string{"edge/values.schema.json": `["a list"]`}))
	require.ErrorContains(t, err, "edge/values.schema.json: ")
}
