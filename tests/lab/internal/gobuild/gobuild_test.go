package gobuild_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/gobuild"
)

// module writes a Go module whose command prints a variable of its own and a variable of a replaced
// module.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"tool/go.mod": "module example.test/tool\n\ngo 1.26.0\n\nrequire example.test/other " +
			"v0.0.0\n\nreplace example.test/other => ../other\n",
		"tool/main.go": "package main\n\nimport \"example.test/other\"\n\nvar name = " +
			"\"unset\"\n\nfunc main() { println(name, other.Text) }\n",
		"other/go.mod": "module example.test/other\n\ngo 1.26.0\n",
		"other/o.go":   "package other\n\nconst Text = \"one\"\n",
	} {
		full := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
	return root
}

func key(t *testing.T, command gobuild.Command) string {
	t.Helper()
	sum, err := command.Key()
	require.NoError(t, err)
	return sum
}

func TestKeyChangesWithSourceOfReplacedModule(t *testing.T) {
	root := module(t)
	command := gobuild.Command{Module: filepath.Join(root, "tool"), Packages: []string{"."}}
	before := key(t, command)
	assert.Equal(t, before, key(t, command))
	other := filepath.Join(root, "other", "o.go")
	require.NoError(t, os.WriteFile(other, []byte("package other\n\nconst Text = \"two\"\n"), 0o644))
	assert.NotEqual(t, before, key(t, command))
}

func TestKeyChangesWithVariablesAndTags(t *testing.T) {
	command := gobuild.Command{Module: filepath.Join(module(t), "tool"), Packages: []string{"."}}
	keys := []string{key(t, command)}
	command.Variables = []string{"main.name=x"}
	keys = append(keys, key(t, command))
	command.Tags = []string{"small"}
	keys = append(keys, key(t, command))
	slices.Sort(keys)
	assert.Len(t, slices.Compact(keys), 3)
}

func TestBuildTagsSelectSourceFiles(t *testing.T) {
	root, out := module(t), t.TempDir()
	for name, text := range map[string]string{"small.go": "//go:build small", "full.go": "//go:build !small"} {
		text += "\n\npackage main\n\nfunc init() { name = \"" + name + "\" }\n"
		require.NoError(t, os.WriteFile(filepath.Join(root, "tool", name), []byte(text), 0o644))
	}
	command := gobuild.Command{Module: filepath.Join(root, "tool"), Packages: []string{"."}, Tags: []string{"small"}}
	require.NoError(t, command.Build(t.Context(), out, os.Stderr))
	said, err := exec.Command(filepath.Join(out, "tool")).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "small.go one\n", string(said))
}

func TestBinaryDoesNotDependOnItsFolder(t *testing.T) {
	var sums []string
	for range 2 {
		root, out := module(t), t.TempDir()
		command := gobuild.Command{Module: filepath.Join(root, "tool"), Packages: []string{"."},
			Variables: []string{"main.name=set"}}
		require.NoError(t, command.Build(t.Context(), out, os.Stderr))
		said, err := exec.Command(filepath.Join(out, "tool")).CombinedOutput()
		require.NoError(t, err)
		assert.Equal(t, "set one\n", string(said))
		sum, _, err := build.DigestFile(filepath.Join(out, "tool"))
		require.NoError(t, err)
		sums = append(sums, sum)
	}
	assert.Equal(t, sums[0], sums[1])
}

// edited returns the command with an edit that replaces old in its dependency.
func edited(t *testing.T, old string) gobuild.Command {
	return gobuild.Command{
		Module: filepath.Join(inside(t), "tool"), Packages: []string{"."},
		Edits: []gobuild.Edit{{Module: "example.test/other", Old: old, New: `"edited"`}},
	}
}

// inside returns a folder with the module tool, whose dependency is a folder inside the module.
func inside(t *testing.T) string {
	t.Helper()
	root := module(t)
	tool := filepath.Join(root, "tool")
	require.NoError(t, os.Rename(filepath.Join(root, "other"), filepath.Join(tool, "other")))
	text, err := os.ReadFile(filepath.Join(tool, "go.mod"))
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("../other"), []byte("./other"))
	require.NoError(t, os.WriteFile(filepath.Join(tool, "go.mod"), text, 0o644))
	return root
}

func TestEditChangesBinaryButNotDependencySource(t *testing.T) {
	var sums []string
	for range 2 {
		command, out := edited(t, `"one"`), t.TempDir()
		require.NoError(t, command.Build(t.Context(), out, os.Stderr))
		said, err := exec.Command(filepath.Join(out, "tool")).CombinedOutput()
		require.NoError(t, err)
		assert.Equal(t, "unset edited\n", string(said))
		text, err := os.ReadFile(filepath.Join(command.Module, "other", "o.go"))
		require.NoError(t, err)
		assert.Contains(t, string(text), `"one"`, "the dependency itself")
		sum, _, err := build.DigestFile(filepath.Join(out, "tool"))
		require.NoError(t, err)
		sums = append(sums, sum)
	}
	assert.Equal(t, sums[0], sums[1], "the folder of the edit shows")
}

func TestEditsApplyInOrder(t *testing.T) {
	command, out := edited(t, `"one"`), t.TempDir()
	command.Edits = append(command.Edits, gobuild.Edit{Module: "example.test/other", Old: `"edited"`, New: `"twice"`})
	require.NoError(t, command.Build(t.Context(), out, os.Stderr))
	said, err := exec.Command(filepath.Join(out, "tool")).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "unset twice\n", string(said))
}

func TestDependencyTestsAreNotEdited(t *testing.T) {
	command := edited(t, `"one"`)
	other := filepath.Join(command.Module, "other")
	require.NoError(t, os.MkdirAll(filepath.Join(other, "testdata"), 0o755))
	for _, name := range []string{"o_test.go", "testdata/o.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(other, name),
			[]byte("package other\n\nvar _ = \"gone\"\n"), 0o644))
	}
	require.NoError(t, command.Build(t.Context(), t.TempDir(), os.Stderr))
	command.Edits[0].Old = `"gone"`
	assert.ErrorContains(t, command.Build(t.Context(), t.TempDir(), os.Stderr), "is in none of its files")
}

func TestEditWithoutMatchFails(t *testing.T) {
	err := edited(t, "gone").Build(t.Context(), t.TempDir(), os.Stderr)
	assert.ErrorContains(t, err, `editing example.test/other: "gone" is in none of its files`)
}

func TestKeyChangesWithEdits(t *testing.T) {
	command := edited(t, `"one"`)
	with := key(t, command)
	command.Edits = nil
	assert.NotEqual(t, with, key(t, command))
}
