package catalog_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/parts"
)

// built runs a step that compiles nothing, and returns what it left.
func built(t *testing.T, step string) build.Entry {
	t.Helper()
	at, err := layout.Find(".")
	require.NoError(t, err)
	steps, err := build.Select(catalog.Steps(at, t.TempDir()), []string{step})
	require.NoError(t, err)
	runner := build.Runner{Dir: t.TempDir(), Jobs: 1, Progress: build.NewProgress(io.Discard)}
	outputs, err := runner.Run(t.Context(), steps)
	require.NoError(t, err)
	return outputs[step]
}

// metallb builds the chart's step and loads what it packaged.
func metallb(t *testing.T) *chart.Chart {
	t.Helper()
	entry := built(t, "metallb-chart")
	loaded, err := loader.LoadFile(filepath.Join(entry.Dir, entry.Files[0].Path))
	require.NoError(t, err)
	return loaded
}

// withoutFRR are the values that matter for which images are asked for.
var withoutFRR = map[string]any{
	"frrk8s":  map[string]any{"enabled": false},
	"speaker": map[string]any{"frr": map[string]any{"enabled": false}},
}

// render returns the objects of a chart as Helm would install them on the lab's Kubernetes.
func render(t *testing.T, loaded *chart.Chart, values map[string]any) []map[string]any {
	t.Helper()
	require.NoError(t, chartutil.ProcessDependencies(loaded, values))
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.34.2", Major: "1", Minor: "34"}
	release := chartutil.ReleaseOptions{Name: "metallb", Namespace: "metallb-system", IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, release, capabilities)
	require.NoError(t, err)
	files, err := engine.Render(loaded, all)
	require.NoError(t, err)
	var objects []map[string]any
	for path, text := range files {
		if filepath.Ext(path) != ".yaml" {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---") {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(document), &object), path)
			if object != nil {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// images collects every value of a key "image" below a value.
func images(value any, found map[string]bool) {
	switch typed := value.(type) {
	case map[string]any:
		if image, ok := typed["image"].(string); ok {
			found[image] = true
		}
		for _, inner := range typed {
			images(inner, found)
		}
	case []any:
		for _, inner := range typed {
			images(inner, found)
		}
	}
}

func TestEveryImageOfTheMetalLBChartIsInTheBundle(t *testing.T) {
	objects := render(t, metallb(t), withoutFRR)
	kinds := map[string]bool{}
	found := map[string]bool{}
	for _, object := range objects {
		if kind, _ := object["kind"].(string); kind == "Deployment" || kind == "DaemonSet" {
			kinds[kind] = true
			images(object, found)
		}
	}
	assert.Equal(t, map[string]bool{"Deployment": true, "DaemonSet": true}, kinds, "controller and speaker")
	require.Len(t, found, 2)
	for image := range found {
		assert.Contains(t, catalog.References(), image)
	}
}

func TestTheChartCarriesItsSubcharts(t *testing.T) {
	var names []string
	for _, sub := range metallb(t).Dependencies() {
		names = append(names, sub.Name())
	}
	assert.ElementsMatch(t, []string{"crds", "frr-k8s"}, names)
}

func TestReferencesAreDistinctAndFull(t *testing.T) {
	references := catalog.References()
	unique := slices.Compact(slices.Sorted(slices.Values(references)))
	assert.Len(t, unique, len(references))
	for _, reference := range references {
		assert.Regexp(t, `^[a-z0-9.]+\.[a-z]+/[a-z0-9/-]+:v?[0-9.]+$`, reference, "containerd needs the registry")
	}
}

// The CLI asks for the plugin versions of the root module's SDKs, and knows no "nearly".
func TestPluginVersionsAreThoseOfTheSDKs(t *testing.T) {
	pins, err := parts.Pins("../../../..")
	require.NoError(t, err)
	for _, folder := range catalog.PluginFolders() {
		name, version, ok := strings.Cut(strings.TrimPrefix(folder, "plugins/resource-"), "-v")
		require.True(t, ok)
		assert.Equal(t, pins["pulumi-resource-"+name], version, name)
	}
}

func TestTheGraphIsSoundAndHasASourceForEachModule(t *testing.T) {
	at, err := layout.Find(".")
	require.NoError(t, err)
	steps := catalog.Steps(at, t.TempDir())
	selected, err := build.Select(steps, []string{"bundle", "pulumi-home/manifest"})
	require.NoError(t, err)
	assert.Len(t, selected, len(steps), "nothing is built that neither bundle nor PULUMI_HOME needs")
	for _, step := range steps {
		if step.Key == nil {
			continue
		}
		key, err := step.Key()
		require.NoError(t, err, step.Name)
		assert.Len(t, key, 64, step.Name)
	}
}
