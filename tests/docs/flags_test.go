package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// flags are the compiler flags of every build. With other flags, the build cache would not be
// shared (docs/adr/0033).
var flags = []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

// images is the file that compiles users' programs. Their images depend on the flags.
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
