package workstations

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const program = "../.."

// TestProgramCompilesForEveryWorkstation omits the system of CI, for which the program has just
// been compiled.
func TestProgramCompilesForEveryWorkstation(t *testing.T) {
	parsed := newSources()
	for _, on := range []system{{"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}} {
		own, err := parsed.check(on, program, ".")
		require.NoError(t, err, "GOOS=%s GOARCH=%s go vet . says more", on.os, on.arch)
		require.Greater(t, len(own), 60, "the program's own packages are among them")
		for _, folder := range own {
			_, err := os.ReadDir(folder) // this makes go run the test again when files come or go
			require.NoError(t, err)
		}
	}
}

func TestCheckDetectsLinuxOnlyCode(t *testing.T) {
	const pkg = "./testdata/linuxonly"
	_, err := newSources().check(system{"linux", "amd64"}, ".", pkg)
	require.ErrorContains(t, err, "declared and not used: unused",
		"the bodies of our own functions are read")
	assert.NotContains(t, err.Error(), "Ctim")
	_, err = newSources().check(system{"darwin", "arm64"}, ".", pkg)
	require.ErrorContains(t, err, "file.Ctim undefined")
	_, err = newSources().check(system{"windows", "amd64"}, ".", pkg)
	assert.ErrorContains(t, err, "Stat_t")
}
