package originals_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/originals"
)

// known has names that are prefixes of other names.
var known = []string{"k3s", "k3s-install", "k3s-images", "metallb-chart", "pulumi-resource-command"}

// folder returns a folder that has files with these names.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	return dir
}

func TestReadIdentifiesArtifactsByFileName(t *testing.T) {
	dir := folder(t, "k3s-v1.36.3+k3s1", "k3s-install-v1.36.3+k3s1.sh",
		"k3s-images-v1.36.3+k3s1.tar.zst", "metallb-chart-0.16.2.tgz",
		"metallb-chart-images-speaker-v0.16.2.tar", "pulumi-resource-command-v1.2.1", ".lock",
		"README.md", "strata.lock")
	set, err := originals.Read(dir, known)
	require.NoError(t, err)
	found := map[string][3]string{}
	for _, one := range set.All {
		found[one.Base] = [3]string{one.Name, one.Images, one.Version}
		text, err := os.ReadFile(one.File)
		require.NoError(t, err)
		assert.Equal(t, one.Base, string(text))
	}
	assert.Equal(t, map[string][3]string{
		"k3s-v1.36.3+k3s1":                         {"k3s", "", "v1.36.3+k3s1"},
		"k3s-install-v1.36.3+k3s1.sh":              {"k3s-install", "", "v1.36.3+k3s1"},
		"k3s-images-v1.36.3+k3s1.tar.zst":          {"", "k3s", "v1.36.3+k3s1"},
		"metallb-chart-0.16.2.tgz":                 {"metallb-chart", "", "0.16.2"},
		"metallb-chart-images-speaker-v0.16.2.tar": {"", "metallb-chart", "speaker-v0.16.2"},
		"pulumi-resource-command-v1.2.1":           {"pulumi-resource-command", "", "v1.2.1"},
	}, found)
	chart, there := set.Named("metallb-chart")
	assert.True(t, there)
	assert.Equal(t, "0.16.2", chart.Version)
	_, there = set.Named("")
	assert.False(t, there, "an archive is found by what it goes with")
	assert.Len(t, set.ImagesOf("k3s"), 1)
	assert.Empty(t, set.ImagesOf(""))
}

func TestReadReportsEveryInvalidFile(t *testing.T) {
	dir := folder(t, "metalb-chart-0.16.2.tgz", "k3s", "k3s-v1", "k3s-v2", "k3s-install-.sh")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "metallb-chart-0.16.2"), 0o755))
	_, err := originals.Read(dir, known)
	for _, want := range []string{
		"ORIGINALS=" + dir, "metalb-chart-0.16.2.tgz: no artifact has this name; known are",
		"k3s: no artifact", "k3s-v1 and k3s-v2: both are k3s",
		`k3s-install-.sh: "" is no version`, "metallb-chart-0.16.2: it is no file",
	} {
		assert.ErrorContains(t, err, want)
	}
	_, err = originals.Read(filepath.Join(dir, "gone"), known)
	assert.ErrorIs(t, err, os.ErrNotExist)
	set, err := originals.Read("", known)
	require.NoError(t, err)
	assert.Empty(t, set.All, "none is none")
}

func TestOriginalsFolderWithoutArtifactsIsRejected(t *testing.T) {
	require.NoError(t, originals.Set{}.Some(""), "no folder was named")
	for _, name := range []string{"README.md", "strata.lock", ".lock"} {
		dir := folder(t, name)
		set, err := originals.Read(dir, known)
		require.NoError(t, err)
		assert.EqualError(t, set.Some(dir), "ORIGINALS="+dir+" has no original: see "+
			"tests/lab/originals.md for the names")
	}
	dir := folder(t, "metallb-chart-images-v0.16.2.tar")
	set, err := originals.Read(dir, known)
	require.NoError(t, err)
	assert.NoError(t, set.Some(dir))
}

func TestReadResolvesSymbolicLinks(t *testing.T) {
	dir, built := folder(t), folder(t, "out")
	require.NoError(t, os.Symlink(filepath.Join(built, "out"), filepath.Join(dir, "k3s-v1")))
	set, err := originals.Read(dir, known)
	require.NoError(t, err)
	assert.Equal(t, "out", filepath.Base(set.All[0].File), "a hard link to a link would be one")
	assert.Equal(t, "k3s-v1", set.All[0].Base)
}

func TestReferenceIsFoundByRepository(t *testing.T) {
	dir := folder(t)
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, originals.ReferencesFile), []byte(text), 0o600))
	}
	write("# what the charts ask for\nquay.io/metallb/controller:v0.16.2\n\nlocalhost:5000/a/b:1\n")
	set, err := originals.Read(dir, known)
	require.NoError(t, err)
	assert.Equal(t, "quay.io/metallb/controller:v0.16.2", set.Reference("quay.io/metallb/controller:v0.16.1"))
	assert.Equal(t, "localhost:5000/a/b:1", set.Reference("localhost:5000/a/b"))
	assert.Empty(t, set.Reference("quay.io/metallb/speaker:v0.16.1"))
	for _, bad := range []string{"quay.io/metallb/controller", "localhost:5000/a/b", "a/b:1 a/c:1", "a/b:1@sha256:00"} {
		write(bad)
		_, err = originals.Read(dir, known)
		assert.ErrorContains(t, err, "is no reference with a tag", bad)
	}
}
