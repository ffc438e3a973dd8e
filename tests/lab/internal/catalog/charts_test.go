package catalog_test

import (
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
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"

	"strata/tests/lab/internal/catalog"
)

// named returns the release whose chart the step packages.
func named(t *testing.T, step string) release {
	t.Helper()
	i := slices.IndexFunc(releases, func(r release) bool { return r.step == step })
	require.GreaterOrEqual(t, i, 0, step)
	return releases[i]
}

// load runs a chart's step, and loads the packaged chart.
func load(t *testing.T, step string) *chart.Chart {
	t.Helper()
	entry := built(t, step)
	loaded, err := loader.LoadFile(filepath.Join(entry.Dir, entry.Files[0].Path))
	require.NoError(t, err)
	return loaded
}

// objects maps "Kind name" to a rendered object.
type objects map[string]map[string]any

// render returns the objects that Helm would install for a release with these values, on the lab's
// Kubernetes version.
func (r release) render(t *testing.T, values string) objects {
	t.Helper()
	found, err := r.try(t, values)
	require.NoError(t, err)
	return found
}

// try is like render, but returns an error if the chart rejects the values.
func (r release) try(t *testing.T, text string) (objects, error) {
	t.Helper()
	values := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &values))
	loaded := load(t, r.step)
	require.NoError(t, chartutil.ProcessDependencies(loaded, values))
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.36.3", Major: "1", Minor: "36"}
	options := chartutil.ReleaseOptions{Name: r.name, Namespace: r.namespace, IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, options, capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	found := objects{}
	for path, text := range files {
		if filepath.Ext(path) == ".txt" {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---") {
			found.add(t, path, document)
		}
	}
	return found, nil
}

// add stores an object. It fails the test if an object of the same kind, name and namespace exists,
// because in the cluster one would overwrite the other.
func (o objects) add(t *testing.T, path, document string) {
	t.Helper()
	var object map[string]any
	require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object), path)
	if len(object) == 0 {
		return
	}
	metadata, _ := object["metadata"].(map[string]any)
	key := object["kind"].(string) + " " + metadata["name"].(string)
	if namespace, ok := metadata["namespace"].(string); ok && o[key] != nil {
		key += " in " + namespace
	}
	require.NotContains(t, o, key, path)
	o[key] = object
}

// at returns the value at a path of keys and indexes; nil if an object has no such key.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch typed := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			require.True(t, ok, "%v: no object at %v", path, step)
			value = object[typed]
		case int:
			list, ok := value.([]any)
			require.True(t, ok && typed < len(list), "%v: no list with %v", path, step)
			value = list[typed]
		}
	}
	return value
}

// images collects the values of all keys "image" in a value, at any depth.
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

// full returns an image reference as containerd completes it: without a registry, the registry is
// docker.io.
func full(image string) string {
	if host, _, ok := strings.Cut(image, "/"); ok && !strings.Contains(host, ".") {
		return "docker.io/" + image
	}
	return image
}

func TestEveryImageOfEveryChartIsInTheBundle(t *testing.T) {
	for _, release := range releases {
		t.Run(release.step, func(t *testing.T) {
			var workloads []string
			found := map[string]bool{}
			for key, object := range release.render(t, release.values) {
				kind, name, _ := strings.Cut(key, " ")
				if slices.Contains([]string{"Deployment", "DaemonSet", "StatefulSet", "Job"}, kind) {
					workloads = append(workloads, name)
					images(object, found)
				}
			}
			assert.ElementsMatch(t, release.workloads, workloads)
			require.NotEmpty(t, found)
			for image := range found {
				assert.Contains(t, catalog.References(), full(image))
			}
		})
	}
}

func TestChartsPassHelmLint(t *testing.T) {
	for _, release := range releases {
		t.Run(release.step, func(t *testing.T) {
			dir := t.TempDir()
			entry := built(t, release.step)
			require.NoError(t, chartutil.ExpandFile(dir, filepath.Join(entry.Dir, entry.Files[0].Path)))
			values := map[string]any{}
			require.NoError(t, yaml.Unmarshal([]byte(release.values), &values))
			folder := filepath.Join(dir, load(t, release.step).Name())
			for _, message := range lint.AllWithKubeVersion(folder, values, release.namespace, nil).Messages {
				assert.Less(t, message.Severity, support.ErrorSev, "%s", message)
			}
		})
	}
}

func TestMetalLBChartIncludesItsSubcharts(t *testing.T) {
	var names []string
	for _, sub := range load(t, "metallb-chart").Dependencies() {
		names = append(names, sub.Name())
	}
	assert.ElementsMatch(t, []string{"crds", "frr-k8s"}, names)
}
