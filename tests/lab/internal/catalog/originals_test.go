package catalog_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/originals"
)

// given returns the lab's layout with an empty cache, and a folder $ORIGINALS that has executable
// files with these names.
func given(t *testing.T, names ...string) layout.Layout {
	t.Helper()
	at := empty(t)
	at.Originals = t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(at.Originals, name), []byte("original "+name), 0o755))
	}
	return at
}

// all returns the names of the steps for all artifacts.
func all(t *testing.T, at layout.Layout) []string {
	t.Helper()
	names, err := catalog.ArtifactsOf(at)
	require.NoError(t, err)
	return stepsFor(t, at, names...)
}

func TestPartsWithUpstreamArtifactAreNotBuilt(t *testing.T) {
	own := all(t, empty(t))
	steps := all(
		t,
		given(
			t,
			"k3s-v1.36.5+k3s1",
			"k3s-images-v1.36.5+k3s1.tar.zst",
			"metallb-chart-0.16.2.tgz",
			"pulumi-resource-command-v1.2.1",
			"apisix-controller-chart-1.3.0.tgz",
			"wave-chart-4.5.0.tgz",
		),
	)
	for _, gone := range []string{
		"k3s", "pause-image", "coredns", "metrics-server", "pulumi-resource-command", "metallb",
		"metallb-chart", "controller-image",
		"apisix-controller-chart", "apisix-ingress-controller-image", "adc-image",
	} {
		assert.Contains(t, own, gone)
		assert.NotContains(t, steps, gone)
	}
	for _, stays := range []string{
		"k3s-install", "testserver-image", "cert-wait-image", "pulumi-resource-kubernetes",
		"apisix-image", "vault-image", "bundle", "pulumi-home/command",
	} {
		assert.Contains(t, own, stays)
		assert.Contains(t, steps, stays)
	}
}

// The demo's Deployments name their images themselves, so they do not depend on APISIX's chart.
func TestUpstreamAPISIXChartDoesNotReplaceDemoImages(t *testing.T) {
	steps := all(t, given(t, "apisix-chart-2.15.0.tgz"))
	assert.NotContains(t, steps, "apisix-image")
	for _, stays := range []string{"keycloak-image", "go-httpbin-image", "go-rest-image"} {
		assert.Contains(t, steps, stays)
	}
	steps = all(t, given(t, "apisix-chart-2.15.0.tgz", "apisix-chart-images-all.tar"))
	assert.NotContains(t, steps, "keycloak-image", "an archive brings all that goes with its chart")
}

func TestUpstreamArtifactsGetTheirOwnBundle(t *testing.T) {
	at := given(
		t,
		"k3s-v1.36.5+k3s1",
		"metallb-chart-0.16.2.tgz",
		"metallb-chart-images-all-0.16.2.tar.gz",
		"k3s-images-v1.36.5+k3s1.tar.zst",
		"wave-chart-4.5.0.tgz",
	)
	own := at
	own.Originals = ""
	assert.NotEqual(t, own.Bundle(), at.Bundle(), "what everything else runs from stays")
	assert.NotEqual(t, own.PulumiHome(), at.PulumiHome())

	steps, err := catalog.StepsFor(
		at,
		at.Bundle(),
		[]string{"k3s", "k3s-install", "metallb-chart", "apisix-crds", "wave-chart"},
	)
	require.NoError(t, err)
	steps, err = build.Select(steps, []string{"bundle"})
	require.NoError(t, err)
	_, err = build.Runner{Dir: at.Tools(), Jobs: 1, Progress: build.NewProgress(io.Discard)}.Run(t.Context(), steps)
	require.NoError(t, err)
	manifest, err := bundle.Read(at.Bundle())
	require.NoError(t, err)
	found := map[string]string{}
	for _, one := range manifest.Artifacts {
		sum, _, err := build.DigestFile(filepath.Join(at.Bundle(), one.Path))
		require.NoError(t, err)
		assert.Equal(t, one.SHA256, sum)
		found[one.Name+" "+one.Version+" "+one.For+" "+one.Path] = one.Origin[:4]
	}
	assert.Equal(t, map[string]string{
		"k3s v1.36.5+k3s1  k3s/k3s":                                                         "orig",
		"k3s-install v1.36.3+k3s1  k3s/install.sh":                                          "stan",
		"metallb-chart 0.16.2  charts/metallb-chart-0.16.2.tgz":                             "orig",
		"k3s-images all-0.16.2 metallb-chart images/metallb-chart-images-all-0.16.2.tar.gz": "orig",
		"apisix-crds 1.3.0  crds/apisix-1.3.0.yaml":                                         "stan",
		"wave-chart 4.5.0  charts/wave-chart-4.5.0.tgz":                                     "orig",
	}, found)
}

// An upstream chart uses other image references than the lab's images have. Without a registry, the
// lab's images need the references that the chart uses.
func TestLabImageGetsReferenceFromImagesTxt(t *testing.T) {
	at := given(t, "metallb-chart-0.17.0.tgz")
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join(at.Originals, originals.ReferencesFile),
			[]byte("quay.io/metallb/controller:v0.17.0\n"),
			0o600,
		),
	)
	steps, err := catalog.StepsFor(at, t.TempDir(), []string{"k3s-images", "metallb-chart"})
	require.NoError(t, err)
	keys := map[string]string{}
	for _, step := range steps {
		if step.Key != nil {
			keys[step.Name], err = step.Key()
			require.NoError(t, err)
		}
	}
	for _, step := range catalog.Steps(at, t.TempDir()) {
		switch step.Name {
		case "controller-image":
			own, err := step.Key()
			require.NoError(t, err)
			assert.NotEqual(t, own, keys[step.Name], "it is another archive")
		case "coredns-image", "metallb", "pause-image":
			own, err := step.Key()
			require.NoError(t, err)
			assert.Equal(t, own, keys[step.Name], step.Name)
		}
	}
	assert.Contains(t, keys, "controller-image")
	assert.NotContains(t, keys, "speaker-image", "nothing asks for the lab's version of it")
}

func TestUnusableUpstreamPluginIsRejected(t *testing.T) {
	at := given(t, "pulumi-resource-command-v9.9.9")
	_, err := catalog.StepsFor(at, t.TempDir(), nil)
	assert.ErrorContains(t, err, "the program asks for version 1.2.1")
	at = given(t, "pulumi-resource-command-v1.2.1")
	require.NoError(t, os.Chmod(filepath.Join(at.Originals, "pulumi-resource-command-v1.2.1"), 0o644))
	_, err = catalog.StepsFor(at, t.TempDir(), nil)
	assert.ErrorContains(t, err, "chmod +x")
	_, err = catalog.StepsFor(given(t, "metalb-chart-0.16.2.tgz"), t.TempDir(), nil)
	assert.ErrorContains(t, err, "metalb-chart-0.16.2.tgz: no artifact has this name")
}

func TestUpstreamPluginGetsItsOwnPulumiHome(t *testing.T) {
	at := given(t, "pulumi-resource-command-v1.2.1")
	steps, err := catalog.StepsFor(at, t.TempDir(), nil)
	require.NoError(t, err)
	steps, err = build.Select(steps, []string{"pulumi-home/command"})
	require.NoError(t, err)
	require.Len(t, steps, 1, "nothing is compiled for it")
	_, err = build.Runner{Dir: at.Tools(), Jobs: 1, Progress: build.NewProgress(io.Discard)}.Run(t.Context(), steps)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(at.PulumiHome(), "plugins/resource-command-v1.2.1/pulumi-resource-command"))
	require.NoError(t, err)
	assert.Equal(t, "original pulumi-resource-command-v1.2.1", string(text))
	assert.NoDirExists(t, filepath.Join(at.Cache, "pulumi-home"))
}
