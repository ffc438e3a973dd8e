package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// files reads every file of the repository whose path, relative to the root, satisfies asked.
func files(t *testing.T, asked func(path string) bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root,
		func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			path, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			if entry.IsDir() && (path == ".git" || path == ".strata") { // in a linked worktree .git is a file
				return fs.SkipDir
			}
			if !entry.Type().IsRegular() || !asked(path) {
				return nil
			}
			text, err := os.ReadFile(file)
			found[path] = string(text)
			return err
		}))
	return found
}
