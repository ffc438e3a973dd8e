package artifacts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

func TestResolveReadsOnlyManifestOfBundle(t *testing.T) {
	dir, entries := bundle(t)
	for _, entry := range entries {
		require.NoError(t, os.Remove(filepath.Join(dir, entry.Path)))
	}
	set, err := artifacts.Resolve(stack(t, dir, nil), t.TempDir())
	require.NoError(t, err)
	k3s, err := set.Get(config.ArtifactK3s)
	require.NoError(t, err)
	assert.Equal(t, "v1.34.2+k3s1", k3s.Version)
	assert.Equal(t, sum("binary"), k3s.SHA256)
	assert.Equal(t, ".strata/artifacts/k3s-v1.34.2+k3s1-"+sum("binary")[:12], k3s.Path)
	chart, err := set.Get(config.ArtifactMetalLBChart)
	require.NoError(t, err)
	assert.Equal(t, "metallb-chart-0.16.2-"+sum("chart")[:12]+".tgz", chart.FileName())
	images := set.List(config.ArtifactK3sImages)
	require.Len(t, images, 2)
	assert.Equal(t, "k3s-images-v0.16.2-"+sum("metallb")[:12]+".tar.zst", images[1].FileName())
	assert.Equal(t, sum("core")+"+"+sum("metallb"), set.Digest(config.ArtifactK3sImages))
}

func TestResolveRefusesBundleWithOtherVersionThanConfigured(t *testing.T) {
	dir, _ := bundle(t)
	cases := []struct {
		name, version, chart string
		wantErr              []string
	}{
		{name: "no version configured", version: "", chart: ""},
		{name: "same version configured", version: "v1.34.2+k3s1", chart: "v0.16.2"},
		{name: "other K3s version configured", version: "v1.36.3+k3s1",
			wantErr: []string{"k3s v1.34.2+k3s1", "strata:k3s.version", "v1.36.3+k3s1"}},
		{name: "other chart version configured", chart: "0.16.1",
			wantErr: []string{"metallb-chart 0.16.2", "strata:metallb.chartVersion", "0.16.1"}},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			_, err := artifacts.Resolve(stack(t, dir, func(cfg *config.Config) {
				cfg.K3s.Version, cfg.MetalLB.ChartVersion = test.version, test.chart
			}), t.TempDir())
			if test.wantErr == nil {
				require.NoError(t, err)
				return
			}
			for _, want := range test.wantErr {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func TestResolveErrorNamesMissingOrDuplicateBundleArtifact(t *testing.T) {
	dir, entries := bundle(t)
	cases := []struct {
		name    string
		entries []artifacts.Entry
		wantErr string
	}{
		{"no k3s", entries[1:], "no k3s for amd64"},
		{"no chart", entries[:3], "no metallb-chart for amd64"},
		{"two k3s entries", append(entries[:5:5], entries[0]), "2 entries named k3s"},
		{"k3s only for another architecture", append(entries[1:5:5], arm(entries[0])), "no k3s for amd64"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			writeManifest(t, dir, test.entries...)
			_, err := artifacts.Resolve(stack(t, dir, nil), t.TempDir())
			assert.ErrorContains(t, err, test.wantErr)
		})
	}
}

func arm(entry artifacts.Entry) artifacts.Entry {
	entry.Arch = "arm64"
	return entry
}

func TestResolveOmitsBundleImagesOfDisabledLayers(t *testing.T) {
	dir, _ := bundle(t)
	set, err := artifacts.Resolve(stack(t, dir,
		func(cfg *config.Config) { *cfg.MetalLB.Enabled = false }), t.TempDir())
	require.NoError(t, err)
	images := set.List(config.ArtifactK3sImages)
	require.Len(t, images, 1)
	assert.Equal(t, sum("core"), images[0].SHA256)
	assert.Empty(t, images[0].For)
}

func TestResolveAcceptsBundleWithoutImageArchives(t *testing.T) {
	dir, entries := bundle(t)
	writeManifest(t, dir, entries[0], entries[1], entries[4])
	set, err := artifacts.Resolve(stack(t, dir, nil), t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, set.List(config.ArtifactK3sImages))
}

func TestResolveRefusesBundleFolderWithoutManifest(t *testing.T) {
	_, err := artifacts.Resolve(stack(t, t.TempDir(), nil), t.TempDir())
	assert.ErrorContains(t, err, "no bundle folder")
	assert.ErrorContains(t, err, "strata:artifacts.source")
}

func TestInvalidBundleManifestIsRefused(t *testing.T) {
	dir, entries := bundle(t)
	cases := []struct {
		name    string
		edit    func(*artifacts.Entry)
		wantErr string
	}{
		{"path leaves the folder", func(e *artifacts.Entry) { e.Path = "../k3s" },
			"leaves the bundle folder"},
		{"absolute path", func(e *artifacts.Entry) { e.Path = "/etc/passwd" },
			"leaves the bundle folder"},
		{"short sum", func(e *artifacts.Entry) { e.SHA256 = "abc" }, "64 lower case hex digits"},
		{"version with a slash", func(e *artifacts.Entry) { e.Version = "../../x" },
			"is not a version"},
		{"for names no artifact", func(e *artifacts.Entry) {
			e.For = "metalb-chart"
		}, `"metalb-chart" names no artifact`},
		{"no origin", func(e *artifacts.Entry) { e.Origin = "" },
			`neither "real:", "stand-in:" nor "original:"`},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			changed := entries[0]
			test.edit(&changed)
			writeManifest(t, dir, changed)
			_, err := artifacts.ReadManifest(dir)
			assert.ErrorContains(t, err, test.wantErr)
			assert.ErrorContains(t, err, "artifacts[0] (k3s)")
		})
	}
}

func TestMaterialiseIsIdempotent(t *testing.T) {
	dir, _ := bundle(t)
	project := t.TempDir()
	set, err := artifacts.Resolve(stack(t, dir, nil), project)
	require.NoError(t, err)
	require.NoError(t, set.Materialise(t.Context()))
	for _, artifact := range set.Artifacts() {
		require.NoError(t, artifacts.Verify(filepath.Join(project, artifact.Path), artifact.SHA256))
	}
	before, err := os.Stat(filepath.Join(project, set.Artifacts()[0].Path))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir), "what is in place needs no bundle")
	require.NoError(t, set.Materialise(t.Context()))
	after, err := os.Stat(filepath.Join(project, set.Artifacts()[0].Path))
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
}

func TestMaterialiseErrorNamesBundleFileWithWrongChecksum(t *testing.T) {
	dir, entries := bundle(t)
	file := filepath.Join(dir, entries[0].Path)
	require.NoError(t, os.WriteFile(file, []byte("BINARY"), 0o644))
	project := t.TempDir()
	set, err := artifacts.Resolve(stack(t, dir, nil), project)
	require.NoError(t, err)
	err = set.Materialise(t.Context())
	assert.ErrorContains(t, err, file)
	assert.ErrorContains(t, err, "expected sha256 "+sum("binary"))
	assert.ErrorContains(t, err, "found "+sum("BINARY"))
	assert.NoFileExists(t, filepath.Join(project, set.Artifacts()[0].Path))
}

func TestMaterialiseRestoresChangedFile(t *testing.T) {
	dir, _ := bundle(t)
	project := t.TempDir()
	set, err := artifacts.Resolve(stack(t, dir, nil), project)
	require.NoError(t, err)
	require.NoError(t, set.Materialise(t.Context()))
	placed := filepath.Join(project, set.Artifacts()[0].Path)
	before, err := os.Stat(placed)
	require.NoError(t, err)
	require.NoError(t, os.Remove(placed))
	require.NoError(t, os.WriteFile(placed, []byte("BINARY"), 0o644))
	require.NoError(t, os.Chtimes(placed, before.ModTime(), before.ModTime()))
	require.NoError(t, set.Materialise(t.Context()))
	require.NoError(t, artifacts.Verify(placed, sum("binary")), "the bundle's file is back")
}

func TestVerifyBundleNamesEveryWrongFile(t *testing.T) {
	dir, entries := bundle(t)
	var out bytes.Buffer
	require.NoError(t, artifacts.VerifyBundle(dir, &out))
	assert.Contains(t, out.String(), "ok  k3s v1.34.2+k3s1  k3s/k3s  (stand-in: text for a test)")

	require.NoError(t, os.WriteFile(filepath.Join(dir, entries[0].Path), []byte("BINARY"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, entries[1].Path),
		[]byte("longer than before"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(dir, entries[2].Path)))
	err := artifacts.VerifyBundle(dir, &out)
	for i, want := range []string{"wrong checksum", "wrong size", "no such file"} {
		assert.ErrorContains(t, err, entries[i].Path)
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), entries[3].Path)
}
