package artifacts

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// goRest is the pin of an image that Fetch builds from source, because no registry has it.
var goRest = config.Pin{
	Name: config.ArtifactK3sImages, Version: "go-rest-1.0.0", Arch: "amd64",
	URL: "built:examples/go-rest/go-rest-1.0.0.tar", For: config.ArtifactAPISIXChart,
}

// program writes the source of goRest's program into a project. The program prints the expression
// prints.
func program(t *testing.T, project, prints string) {
	t.Helper()
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() { println(" + prints + ") }\n"} {
		path := filepath.Join(project, "examples/go-rest", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func fetchGoRest(t *testing.T, project string) Locked {
	t.Helper()
	require.NoError(t, Fetch(t.Context(), project, config.Artifacts{}, []config.Pin{goRest},
		io.Discard))
	lock, err := ReadLock(project)
	require.NoError(t, err)
	locked, ok := lock.Find(goRest)
	require.True(t, ok)
	return locked
}

func TestFetchLocksNewSumOfOwnImageAfterSourceChange(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	program(t, project, "1")
	first := fetchGoRest(t, project)
	assert.NotZero(t, first.Size)
	assert.Equal(t, first, fetchGoRest(t, project), "nothing changed")
	program(t, project, "2")
	assert.NotEqual(t, first.SHA256, fetchGoRest(t, project).SHA256,
		"no download that must stay as it was")
}

func TestMaterialiseRefusesOwnImageWhoseSumDiffersFromLock(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	program(t, project, "1")
	locked := fetchGoRest(t, project).artifact(nil)

	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // an empty download cache
	set := &Set{projectDir: project, source: config.SourceUpstream, all: []Artifact{locked}}
	require.NoError(t, set.Materialise(t.Context()))
	assert.NoError(t, Verify(filepath.Join(project, locked.Path), locked.SHA256))
	assert.Equal(t, ".tar", filepath.Ext(locked.Path), "K3s goes by the ending")

	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	require.NoError(t, os.RemoveAll(filepath.Join(project, Folder)))
	program(t, project, "2")
	err := set.Materialise(t.Context())
	require.ErrorContains(t, err, "wrong checksum")
	assert.ErrorContains(t, err, "run `strata fetch`")
}
