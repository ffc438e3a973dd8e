package drift_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder returns a folder with an empty file of each name, as a folder of upstream artifacts.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	return dir
}

// rerunTest runs a test of this binary in another process with these variables. It returns the
// output, and whether the test passed.
func rerunTest(t *testing.T, test string, variables ...string) (said string, passed bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^"+test+"$")
	command.Env = append(os.Environ(), variables...)
	text, err := command.CombinedOutput()
	return string(text), err == nil
}

// A user who gives an upstream K3s wants a comparison, so a run without one must fail.
func TestUpstreamK3sWithoutStandInFails(t *testing.T) {
	needsSandbox(t)
	given, cache := "ORIGINALS="+folder(t, "k3s-v1"), "XDG_CACHE_HOME="+t.TempDir()
	said, passed := rerunTest(t, "TestK3sMeetsContract", given, cache)
	assert.False(t, passed, said)
	assert.Contains(t, said, "the lab's K3s is not built; make lab builds it")

	said, passed = rerunTest(t, "TestFlagListHasEveryUpstreamK3sFlag", "ORIGINALS=", cache)
	assert.True(t, passed, "without originals it is a skip: %s", said)
	assert.Contains(t, said, "--- SKIP")
}

func TestUpstreamK3sWithoutSandboxFails(t *testing.T) {
	said, passed := rerunTest(t, "TestK3sMeetsContract", "PATH=",
		"ORIGINALS="+folder(t, "k3s-v1"))
	assert.False(t, passed, said)
	said, passed = rerunTest(t, "TestK3sMeetsContract", "PATH=", "ORIGINALS=")
	assert.True(t, passed, said)
	assert.Contains(t, said, "K3s was not checked")
}

// A folder may have only some upstream artifacts. The test reports those that are missing.
func TestMissingUpstreamArtifactIsNamed(t *testing.T) {
	needsSandbox(t)
	dir := folder(t, "metallb-chart-0.16.2.tgz")
	said, passed := rerunTest(t, "TestFlagListHasEveryUpstreamK3sFlag", "ORIGINALS="+dir)
	assert.True(t, passed, said)
	assert.Contains(t, said, "the original was not checked: "+dir+" has no k3s-VERSION")
}

func TestDriftFailsForOriginalsFolderWithoutComparableArtifacts(t *testing.T) {
	dir := folder(t, "README.md", "k3s-images-v1.36.3+k3s1.tar.zst")
	command := exec.CommandContext(t.Context(), filepath.Join(project, "hack", "drift"))
	command.Env = append(os.Environ(), "ORIGINALS="+dir)
	said, err := command.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, "ORIGINALS="+dir+
		" has no original that can be compared: see tests/lab/originals.md for the names\n",
		string(said))
}

// Stories that only ran with stand-ins must not look as if they had run with upstream artifacts.
func TestMakeTestOriginalsRequiresFolder(t *testing.T) {
	command := exec.CommandContext(t.Context(), "make", "--dry-run", "--directory", project,
		"test-originals", "ORIGINALS=")
	said, err := command.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(said), "make test-originals ORIGINALS=DIR: say which folder")
}
