package catalog_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
)

// empty returns this checkout's layout with an empty cache.
func empty(t *testing.T) layout.Layout {
	t.Helper()
	at, err := layout.Find(".")
	require.NoError(t, err)
	at.Cache = t.TempDir()
	return at
}

// stepsFor returns the names of the steps for the artifacts.
func stepsFor(t *testing.T, at layout.Layout, artifacts ...string) []string {
	t.Helper()
	steps, err := catalog.StepsFor(at, t.TempDir(), artifacts)
	require.NoError(t, err)
	var names []string
	for _, step := range steps {
		names = append(names, step.Name)
	}
	return names
}

func TestOnlyArtifactsOfTheStackAreBuilt(t *testing.T) {
	at := empty(t)
	always := stepsFor(t, at)
	assert.Subset(
		t,
		always,
		[]string{"debian-packages", "pulumi", "pulumi-resource-kubernetes", "pulumi-home/manifest", "program"},
	)
	for _, other := range []string{"bundle", "k3s", "machine-image", "traefik", "vault", "coredns"} {
		assert.NotContains(t, always, other)
	}
	hosts := stepsFor(t, at, "k3s", "k3s-install", "k3s-images", "machine-image")
	assert.Subset(
		t,
		hosts,
		[]string{"bundle", "k3s", "machine-image", "coredns-image", "metrics-server-image", "testserver-image"},
	)
	assert.NotContains(t, hosts, "metallb", "nobody asks for its chart")
	assert.Subset(
		t,
		stepsFor(t, at, "k3s-images", "argocd-chart"),
		[]string{"argocd-image", "redis-image", "argocd-root"},
	)
	assert.NotContains(t, stepsFor(t, at, "vault-chart"), "coredns", "somebody else's cluster has images of its own")
	assert.Contains(t, stepsFor(t, at, "vault-chart"), "vault-image")
}

// A build for one stack must not remove another stack's artifacts from the bundle.
func TestBuiltArtifactsOfOtherStacksStayInBundle(t *testing.T) {
	at := empty(t)
	steps, err := build.Select(catalog.Steps(at, t.TempDir()), []string{"apisix-crds", "vault-chart"})
	require.NoError(t, err)
	_, err = build.Runner{Dir: at.Tools(), Jobs: 1, Progress: build.NewProgress(io.Discard)}.Run(t.Context(), steps)
	require.NoError(t, err)
	names := stepsFor(t, at, "k3s-install")
	assert.Contains(t, names, "apisix-crds")
	assert.NotContains(t, names, "vault-chart", "its images are not there: nobody could use it")
}

func TestStepsFollowOrderOfUpdate(t *testing.T) {
	at := empty(t)
	names := stepsFor(t, at, catalog.Artifacts()...)
	before := -1
	for _, name := range []string{
		"machine-image", "pulumi", "pulumi-resource-command", "program", "k3s", "coredns-image",
		"metallb", "cert-manager", "traefik", "argocd", "vault",
	} {
		place := slices.Index(names, name)
		assert.Greater(t, place, before, name)
		before = place
	}
}

func TestStepsThatNeedDebianPackagesUseNoJobSlot(t *testing.T) {
	at := empty(t)
	for _, step := range catalog.Steps(at, t.TempDir()) {
		fromDebian := slices.Contains(step.Needs, "debian-packages") || step.Name == "debian-packages"
		assert.Equal(t, fromDebian, step.Beside, step.Name)
	}
}

// A command without a weight makes the estimate wrong. `make bench-first` measures its weight.
func TestEveryBuildStepHasAWeight(t *testing.T) {
	at, weights := empty(t), catalog.Weights()
	at.Checkout = checkoutWithoutProgram(t, at.Checkout)
	for _, step := range catalog.Steps(at, t.TempDir()) {
		if step.Key != nil {
			assert.Contains(t, weights, step.Name, "run make bench-first, or write a guess into weights.json")
		}
		if step.Fetch != nil {
			assert.Contains(t, weights, build.DownloadOf(step.Name))
		}
	}
}

// checkoutWithoutProgram returns a checkout in which the program has not been built, as after a
// clone.
func checkoutWithoutProgram(t *testing.T, checkout string) string {
	clone := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(checkout, "tests"), filepath.Join(clone, "tests")))
	return clone
}
