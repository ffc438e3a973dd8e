package build_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/build"
)

func write(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, path)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
}

func tree(t *testing.T, root string) string {
	t.Helper()
	sum, err := build.DigestTree(root)
	require.NoError(t, err)
	return sum
}

func TestDigestChangesOnlyWithFilesThatAffectTheBuild(t *testing.T) {
	for _, c := range []struct {
		name, path string
		changes    bool
	}{
		{"a source file", "sub/b.go", true},
		{"an embedded file", "manifests/x.yaml", true},
		{"a test", "main_test.go", false},
		{"data of a test", "testdata/x", false},
		{"prose", "README.md", false},
		{"a hidden file", ".main.go.swp", false},
		{"another module", "nested/main.go", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "main.go", "package main")
			write(t, root, "nested/go.mod", "module nested")
			before := tree(t, root)
			write(t, root, c.path, "text")
			assert.Equal(t, c.changes, before != tree(t, root))
		})
	}
}

func TestDigestTreeIgnoresOwnNameAndModeExceptExecutableBit(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	write(t, one, "a.go", "text")
	write(t, two, "a.go", "text")
	assert.Equal(t, tree(t, one), tree(t, two), "the folder's own name does not matter")

	require.NoError(t, os.Chmod(filepath.Join(two, "a.go"), 0o755))
	assert.NotEqual(t, tree(t, one), tree(t, two))
	require.NoError(t, os.Chmod(filepath.Join(two, "a.go"), 0o600))
	assert.Equal(t, tree(t, one), tree(t, two), "a umask does not matter")
}

func TestDigestDiffersIfStringsAreSplitDifferently(t *testing.T) {
	assert.NotEqual(t, build.Digest("ab", "c"), build.Digest("a", "bc"))
}

func TestDigestTreeFailsForEmptyFolder(t *testing.T) {
	_, err := build.DigestTree(t.TempDir())
	assert.ErrorContains(t, err, "there are none")
}
