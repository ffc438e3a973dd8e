package bundle_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/bundle"
)

// source returns an artifact whose content is text.
func source(t *testing.T, path, text string) bundle.Source {
	t.Helper()
	file := filepath.Join(t.TempDir(), "content")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	sum, size, err := build.DigestFile(file)
	require.NoError(t, err)
	return bundle.Source{File: file, Artifact: bundle.Artifact{
		Name: "k3s-images", Version: "1", Path: path, SHA256: sum, Size: size, Origin: "real: a test",
	}}
}

func TestBundleManifestMatchesItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	changed, err := bundle.Assemble(t.Context(), dir,
		[]bundle.Source{source(t, "images/b.tar", "b"), source(t, "images/a.tar", "a")})
	require.NoError(t, err)
	assert.True(t, changed)

	manifest, err := bundle.Read(dir)
	require.NoError(t, err)
	require.Len(t, manifest.Artifacts, 2)
	assert.Equal(t, "images/a.tar", manifest.Artifacts[0].Path, "sorted")
	for _, artifact := range manifest.Artifacts {
		sum, size, err := build.DigestFile(filepath.Join(dir, artifact.Path))
		require.NoError(t, err)
		assert.Equal(t, artifact.SHA256, sum)
		assert.Equal(t, artifact.Size, size)
	}
}

func TestUnchangedBundleIsNotReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	sources := []bundle.Source{source(t, "a", "a"), source(t, "b", "b")}
	_, err := bundle.Assemble(t.Context(), dir, sources)
	require.NoError(t, err)
	before, err := os.Stat(dir)
	require.NoError(t, err)

	changed, err := bundle.Assemble(t.Context(), dir, []bundle.Source{sources[1], sources[0]})
	require.NoError(t, err)
	assert.False(t, changed)
	after, err := os.Stat(dir)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
}

func TestChangedBundleReplacesTheWholeFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "bundle")
	_, err := bundle.Assemble(t.Context(), dir, []bundle.Source{source(t, "old", "old")})
	require.NoError(t, err)
	_, err = bundle.Assemble(t.Context(), dir, []bundle.Source{source(t, "new", "new")})
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, "old"))
	assert.FileExists(t, filepath.Join(dir, "new"))
	assert.NoDirExists(t, filepath.Join(parent, ".bundle.stage"))
}

func TestMissingBundleFileIsRestored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	sources := []bundle.Source{source(t, "a", "a")}
	_, err := bundle.Assemble(t.Context(), dir, sources)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "a")))
	changed, err := bundle.Assemble(t.Context(), dir, sources)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.FileExists(t, filepath.Join(dir, "a"))
}

func TestManifestHasTheFieldsThatStrataReads(t *testing.T) {
	text, err := bundle.Manifest{Artifacts: []bundle.Artifact{source(t, "a", "a").Artifact}}.Encode()
	require.NoError(t, err)
	var raw map[string][]map[string]any
	require.NoError(t, json.Unmarshal(text, &raw))
	for _, field := range []string{"name", "version", "path", "sha256", "size", "origin"} {
		assert.Contains(t, raw["artifacts"][0], field)
	}
	assert.NotContains(t, raw["artifacts"][0], "for", "everybody gets it")
}

func TestInvalidManifestIsRejected(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*bundle.Artifact)
	}{
		{"no version", "must be set", func(a *bundle.Artifact) { a.Version = "" }},
		{"outside the folder", "inside the folder", func(a *bundle.Artifact) { a.Path = "../a" }},
		{"the manifest itself", "inside the folder", func(a *bundle.Artifact) { a.Path = "manifest.json" }},
		{"short sum", "64 digits", func(a *bundle.Artifact) { a.SHA256 = "abc" }},
		{"for a missing artifact", `is for "metallb"`, func(a *bundle.Artifact) { a.For = "metallb" }},
		{"unknown origin", `must begin with "real:", "stand-in:" or "original:"`,
			func(a *bundle.Artifact) { a.Origin = "somewhere" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			artifact := source(t, "a", "a").Artifact
			c.change(&artifact)
			_, err := bundle.Manifest{Artifacts: []bundle.Artifact{artifact}}.Encode()
			assert.ErrorContains(t, err, c.want)
		})
	}
	same := source(t, "a", "a").Artifact
	_, err := bundle.Manifest{Artifacts: []bundle.Artifact{same, same}}.Encode()
	require.ErrorContains(t, err, "twice")
	assert.Equal(t, 1, strings.Count(err.Error(), "twice"))
}
