package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// flags compile everything: the compiler's cache has no results for another set of them
// (docs/adr/0033).
var flags = []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

// images is the file that compiles users' programs. The flags are part of their images, so that
// another set gives another image.
const images = "artifacts/ownimage/build.go"

func TestAllBuildsUseSameFlags(t *testing.T) {
	found := 0
	compiles := func(path string) bool {
		return !strings.HasPrefix(path, "docs/") && path != images &&
			path != "tests/docs/flags_test.go"
	}
	for path, text := range files(t, compiles) {
		for line := range strings.Lines(text) {
			if !strings.Contains(line, flags[0]) ||
				strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			found++
			for _, flag := range flags {
				assert.Contains(t, line, flag, path)
			}
		}
	}
	assert.Greater(t, found, 5)
}
