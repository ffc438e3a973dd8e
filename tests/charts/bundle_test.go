package charts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"

	"strata/artifacts"
	"strata/config"
)

// bundle is the path of the lab's bundle. It is computed before a test changes the home directory.
var bundle = func() string {
	if named := os.Getenv(config.ArtifactsVariable); named != "" {
		return named
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "strata/bundle")
}()

// given is a folder of charts that replace those of the bundle with the same name.
var given = os.Getenv("CHARTS")

// fillBundle puts the lab's charts and CRDs, and those in CHARTS, into a project's bundle, and
// returns its manifest. Without a lab's bundle it skips the test, or fails the test if ORIGINALS
// has charts to compare.
func fillBundle(t *testing.T, project string) artifacts.Manifest {
	t.Helper()
	if _, err := os.Stat(filepath.Join(bundle, artifacts.ManifestFile)); err != nil {
		reason := fmt.Sprintf("no chart was checked: there is no bundle at hand (%v); make lab builds one", err)
		require.Empty(t, originalCharts(t), reason)
		t.Skip(reason)
	}
	have, err := artifacts.ReadManifest(bundle)
	require.NoError(t, err)
	manifest, err := artifacts.ReadManifest(project)
	require.NoError(t, err)
	charts := givenCharts(t)
	isWhole := func(path string) bool {
		return strings.HasPrefix(path, "charts/") ||
			strings.HasPrefix(path, "crds/")
	}
	manifest.Artifacts = slices.DeleteFunc(manifest.Artifacts,
		func(e artifacts.Entry) bool { return isWhole(e.Path) })
	for _, entry := range have.Artifacts {
		if isWhole(entry.Path) {
			manifest.Artifacts = append(manifest.Artifacts, place(t, project, entry, charts))
		}
	}
	for name, file := range charts {
		require.Empty(t, file, "CHARTS has a chart %s, which the bundle does not have", name)
	}
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(project, artifacts.ManifestFile), text, 0o600))
	return *manifest
}

// givenCharts returns the files of CHARTS by the name of their chart.
func givenCharts(t *testing.T) map[string]string {
	t.Helper()
	charts := map[string]string{}
	if given == "" {
		return charts
	}
	files, err := filepath.Glob(filepath.Join(given, "*.tgz"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "CHARTS=%s: expected a folder with *.tgz", given)
	for _, file := range files {
		loaded, err := loader.LoadFile(file)
		require.NoError(t, err, file)
		charts[loaded.Name()] = file
	}
	return charts
}

// place copies a file of the lab's bundle, or the chart of the same name in CHARTS, into a
// project's bundle. It marks a used chart of CHARTS by an empty path.
func place(
	t *testing.T, project string, entry artifacts.Entry, charts map[string]string,
) artifacts.Entry {
	t.Helper()
	file := filepath.Join(bundle, entry.Path)
	if strings.HasPrefix(entry.Path, "charts/") {
		loaded, err := loader.LoadFile(file)
		require.NoError(t, err, file)
		if other := charts[loaded.Name()]; other != "" {
			loaded, err := loader.LoadFile(other)
			require.NoError(t, err, other)
			charts[loaded.Name()] = ""
			file = other
			entry.Version = loaded.Metadata.Version
			entry.Origin = "real: given in CHARTS"
		}
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	entry.SHA256, entry.Size = hex.EncodeToString(sum[:]), int64(len(text))
	require.NoError(t, os.WriteFile(filepath.Join(project, entry.Path), text, 0o600))
	return entry
}
