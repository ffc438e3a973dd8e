package charts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/tests/drift"
	"strata/tests/pulumitest"
)

// compared has the facts of one artifact: of the lab's stand-in and of the upstream original.
type compared struct {
	standIn, original []string
	// of is the name of the upstream artifact, from its metadata or its file's name.
	of string
}

// chartOrCRDs matches the file of an upstream chart or CRDs; the first group is the artifact's
// name. Archives of images do not match.
var chartOrCRDs = regexp.MustCompile(`^(.+-(?:chart|crds))-v?[0-9].*\.(?:tgz|ya?ml)$`)

// originalCharts returns the names of the upstream charts' and CRDs' files in ORIGINALS.
func originalCharts(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv(drift.Variable)
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		if chartOrCRDs.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// notCompared returns the upstream files whose artifact was not compared.
func notCompared(all map[string]*compared, files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return all[chartOrCRDs.FindStringSubmatch(file)[1]] != nil
	})
}

// With the program's values, the lab's charts and CRDs must render the same facts as the upstream
// ones in the folder ORIGINALS, except for known differences. A line with - is only in the lab's
// facts, one with + only in upstream's.
func TestChartsDifferFromUpstreamOnlyAsReviewed(t *testing.T) {
	originals := originalCharts(t)
	if len(originals) == 0 {
		t.Skipf("no chart was compared: %s names no folder that has one", drift.Variable)
	}
	all := map[string]*compared{}
	for _, platform := range platforms {
		p := newProgram(t, platform.keys)
		for _, release := range p.releases {
			compareCharts(t, all, release)
		}
	}
	compareCRDs(t, all)
	for _, file := range notCompared(all, originals) {
		t.Run(file, func(t *testing.T) {
			if why := pulumitest.WithoutStandIn[chartOrCRDs.FindStringSubmatch(file)[1]]; why != "" {
				t.Skip("not compared: " + why)
			}
			t.Error(
				"it was compared with nothing: either the lab has not built what stands in for " +
					"it, which make lab does, or no stack asks for an artifact of this name")
		})
	}
	for artifact, both := range all {
		t.Run(artifact, func(t *testing.T) {
			report := drift.Compare(both.standIn, both.original, known[both.of])
			for _, line := range report.Explained {
				t.Log("known: " + line)
			}
			for _, line := range report.Unknown {
				t.Errorf("%s: %s", both.of, line)
			}
			for _, line := range report.Outdated {
				t.Errorf("%s: it is known, and not there any more: %s", both.of, line)
			}
		})
	}
}

// compareCharts adds the facts of a release's chart with its values, and those of the upstream
// chart, if ORIGINALS has it.
func compareCharts(t *testing.T, all map[string]*compared, release *release) {
	t.Helper()
	standIn, err := release.render()
	require.NoError(t, err)
	require.NotEmpty(t, factsOf(standIn), release.chartName())
	file, there, err := drift.Original(release.artifact)
	require.NoError(t, err)
	if !there {
		return
	}
	original := *release
	original.chart = file.Path
	rendered, err := original.render()
	require.NoError(t, err)
	add(all, release.artifact, original.chartName(), factsOf(standIn), factsOf(rendered))
}

// compareCRDs adds the kinds that the lab's bundles of CRDs serve, and those of upstream's bundles.
func compareCRDs(t *testing.T, all map[string]*compared) {
	t.Helper()
	manifest, err := artifacts.ReadManifest(bundle)
	require.NoError(t, err)
	for _, entry := range manifest.Artifacts {
		if !strings.HasPrefix(entry.Path, "crds/") {
			continue
		}
		standIn := factsOfFile(t, filepath.Join(bundle, entry.Path))
		require.NotEmpty(t, standIn, entry.Path)
		file, there, err := drift.Original(entry.Name)
		require.NoError(t, err)
		if there {
			add(all, entry.Name, entry.Name+" "+file.Version, standIn, factsOfFile(t, file.Path))
		}
	}
}

func factsOfFile(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return factsOf(parse(t, file, "", string(text)))
}

// add adds the facts of an artifact, because several stacks may install it with different values.
func add(all map[string]*compared, artifact, of string, standIn, original []string) {
	if all[artifact] == nil {
		all[artifact] = &compared{of: of}
	}
	all[artifact].standIn = append(all[artifact].standIn, standIn...)
	all[artifact].original = append(all[artifact].original, original...)
}

// Every property on which Strata relies is a fact, so a chart that changes one is reported.
func TestEachChangeOfChartIsReported(t *testing.T) {
	p := newProgram(t, platforms[1].keys)
	var objects []object
	for _, release := range p.releases {
		found, err := release.render()
		require.NoError(t, err)
		objects = append(objects, found...)
	}
	before := factsOf(objects)
	for name, change := range map[string]struct{ kind, old, other string }{
		"a Service's port":   {"Service", `"port":443`, `"port":444`},
		"a container's name": {"Deployment", `"name":"traefik"`, `"name":"proxy"`},
		"a selector":         {"Deployment", `"matchLabels":{`, `"matchLabels":{"app":"other",`},
		"a webhook's policy": {"ValidatingWebhookConfiguration", `"failurePolicy":"Fail"`,
			`"failurePolicy":"Ignore"`},
		"a version of a kind": {"CustomResourceDefinition", `"served":true`, `"served":false`},
		"what a webhook is for": {"ValidatingWebhookConfiguration", `"resources":[`,
			`"resources":["others",`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := slices.Clone(objects)
			for i, one := range changed {
				if one.Kind == change.kind {
					changed[i].text = []byte(strings.ReplaceAll(string(one.text), change.old,
						change.other))
				}
			}
			assert.NotEmpty(t, drift.Compare(before, factsOf(changed), nil).Unknown)
		})
	}
	assert.NotEmpty(t, drift.Compare(before, factsOf(objects[1:]), nil).Unknown,
		"an object that is not there")
}
