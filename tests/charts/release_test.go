package charts_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"strata/artifacts"
	"strata/tests/pulumitest"
)

// release is a Helm release as the program registers it.
type release struct {
	name, namespace string
	chart           string // its file
	artifact        string // the chart's name in config.Pins
	origin          string // the manifest's text, which begins with "real" for upstream
	values          map[string]any
	key             string // the configuration key of the user's values
	row             pulumitest.Chart
	// skips is true if Helm does not install the chart's crds/.
	skips bool
}

// newRelease reads a release's inputs and loads its chart, which the program has put into the
// project.
func newRelease(t *testing.T, r pulumitest.Resource, manifest artifacts.Manifest) *release {
	t.Helper()
	inputs := plain(r.Inputs)
	made := &release{name: r.Text("name"), namespace: r.Text("namespace"),
		values: inputs["values"].(map[string]any)}
	var err error
	made.chart, err = filepath.Abs(r.Text("chart")) // its path is relative to the project
	require.NoError(t, err)
	for _, entry := range manifest.Artifacts {
		if strings.HasPrefix(filepath.Base(made.chart), entry.Name+"-"+entry.Version) {
			made.artifact, made.origin = entry.Name, entry.Origin
		}
	}
	for key, row := range pulumitest.Charts {
		if row.Release == r.Name {
			made.key, made.row = key, row
		}
	}
	require.NotEmpty(t, made.key, "pulumitest.Charts has no row for %s", r.Name)
	made.skips, _ = inputs["skipCrds"].(bool)
	require.NotEmpty(t, made.origin, "%s is not of the bundle", made.chart)
	return made
}

// load reads the chart anew, because Helm modifies a loaded chart when it renders it.
func (r *release) load() *chart.Chart {
	loaded, err := loader.LoadFile(r.chart)
	if err != nil {
		panic(err) // the program has verified it
	}
	return loaded
}

func (r *release) chartName() string {
	metadata := r.load().Metadata
	return metadata.Name + " " + metadata.Version
}

// schema says in words whether the chart has a schema that checks the program's values.
func (r *release) schema() string {
	if r.load().Schema == nil {
		return "not checked: their types, since it has no schema; their names are in its values"
	}
	return "our values are as its schema wants, their names are in it or in its values"
}

// render returns the objects that Helm would install on K3s. It first checks the program's values
// against the schemas of the chart and of its subcharts.
func (r *release) render() ([]object, error) {
	loaded := r.load()
	values := chartutil.Values(r.values)
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, fmt.Errorf("%s: %w", r.chartName(), err)
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.34.2", Major: "1", Minor: "34"}
	all, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{
		Name: r.name, Namespace: r.namespace, Revision: 1, IsInstall: true,
	}, capabilities)
	if err != nil {
		return nil, fmt.Errorf("%s refuses our values: %w", r.chartName(), err)
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.chartName(), err)
	}
	maps.Copy(files, r.definitions(loaded))
	var objects []object
	for path, text := range files {
		if strings.HasSuffix(path, "NOTES.txt") {
			continue
		}
		found, err := read(r.chartName()+": "+path, r.namespace, text)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// definitions returns the files of a loaded chart's crds/ that Helm would install, including
// subcharts'.
func (r *release) definitions(loaded *chart.Chart) map[string]string {
	files := map[string]string{}
	if r.skips {
		return files
	}
	for _, definition := range loaded.CRDObjects() {
		files[definition.Filename] = string(definition.File.Data)
	}
	return files
}

// orphans returns the CRDs that Helm would install from crds/ and that the program does not apply
// itself. Helm never changes or deletes such CRDs
// (https://helm.sh/docs/chart_best_practices/custom_resource_definitions).
func (r *release) orphans(t *testing.T, owned []object) []string {
	t.Helper()
	loaded := r.load()
	require.NoError(t, chartutil.ProcessDependencies(loaded, chartutil.Values(r.values)))
	var found []string
	for file, text := range r.definitions(loaded) {
		for _, one := range parse(t, file, "", text) {
			if _, ok := find(owned, one.Kind, "", one.Name); !ok &&
				one.Kind == "CustomResourceDefinition" {
				found = append(found, one.Name)
			}
		}
	}
	slices.Sort(found)
	return found
}
