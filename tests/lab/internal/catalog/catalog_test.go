package catalog_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/parts"
)

// outputs is the cache folder of all builds in these tests.
var outputs string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run is the body of TestMain. It is a separate function, because os.Exit would skip its deferred
// calls.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "catalog")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	outputs = dir
	return m.Run()
}

// built runs a step that compiles nothing, and returns its output.
func built(t *testing.T, step string) build.Entry {
	t.Helper()
	at, err := layout.Find(".")
	require.NoError(t, err)
	steps, err := build.Select(catalog.Steps(at, t.TempDir()), []string{step})
	require.NoError(t, err)
	runner := build.Runner{Dir: outputs, Jobs: 1, Progress: build.NewProgress(io.Discard)}
	all, err := runner.Run(t.Context(), steps)
	require.NoError(t, err)
	return all[step]
}

func TestImageReferencesAreUniqueAndFullyQualified(t *testing.T) {
	references := catalog.References()
	unique := slices.Compact(slices.Sorted(slices.Values(references)))
	assert.Len(t, unique, len(references))
	for _, reference := range references {
		assert.Regexp(t, `^[a-z0-9.-]+\.[a-z]+/[a-z0-9/-]+:v?[0-9.]+(-alpine|-ubuntu)?$`, reference,
			"containerd needs the registry")
	}
}

// The CLI requires exactly the plugin versions of the root module's SDKs.
func TestPluginVersionsMatchTheSDKs(t *testing.T) {
	pins, err := parts.Pins("../../../..")
	require.NoError(t, err)
	for _, folder := range catalog.PluginFolders() {
		name, version, ok := strings.Cut(strings.TrimPrefix(folder, "plugins/resource-"), "-v")
		require.True(t, ok)
		assert.Equal(t, pins["pulumi-resource-"+name], version, name)
	}
}

func TestEveryBuildStepIsNeededAndItsInputsAreReadable(t *testing.T) {
	at, err := layout.Find(".")
	require.NoError(t, err)
	steps := catalog.Steps(at, t.TempDir())
	selected, err := build.Select(steps, []string{"bundle", "pulumi-home/manifest", "program", "lab"})
	require.NoError(t, err)
	assert.Len(t, selected, len(steps), "nothing is built that neither bundle nor PULUMI_HOME "+
		"needs, and no command of the checkout")
	for _, step := range steps {
		if step.Key == nil {
			continue
		}
		key, err := step.Key()
		require.NoError(t, err, step.Name)
		assert.Len(t, key, 64, step.Name)
	}
}
