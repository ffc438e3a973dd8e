package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flags are what everything is compiled with: the compiler's cache has nothing for another set of them (docs/adr/0033).
var flags = []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

// images is where users' programs are compiled: the flags are written into these, so that another set is another image.
const images = "internal/ownimage/build.go"

func TestEverythingIsCompiledWithTheSameFlags(t *testing.T) {
	found := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if name == ".git" || name == ".strata" || name == "docs" {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || name == images || name == "tests/docs/flags_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if !strings.Contains(line, flags[0]) || strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			found++
			for _, flag := range flags {
				assert.Contains(t, line, flag, name)
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, found, 5)
}
