package workstations

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const program = "../.."

// TestTheProgramCompilesForEveryWorkstation leaves out the system that it runs on, for which the program has just been compiled. The two
// architectures of macOS differ in nothing that Go code can name.
func TestTheProgramCompilesForEveryWorkstation(t *testing.T) {
	parsed := newSources()
	for _, on := range []system{{"linux", "arm64"}, {"darwin", "arm64"}} {
		all, err := on.list(program, ".")
		require.NoError(t, err)
		own := 0
		for _, p := range all {
			if p.own() {
				own++
				_, err := os.ReadDir(p.Dir) // so that a result of before is not taken for that of a new file
				require.NoError(t, err)
			}
		}
		require.Greater(t, own, 60, "the program's own packages are among them")
		assert.NoError(t, parsed.check(on, program, "."), "GOOS=%s GOARCH=%s go vet . says more", on.os, on.arch)
	}
}

func TestWhatOnlyLinuxCompilesIsNoticed(t *testing.T) {
	const pkg = "./testdata/linuxonly"
	err := newSources().check(system{"linux", "amd64"}, ".", pkg)
	require.ErrorContains(t, err, "declared and not used: unused", "the bodies of our own functions are read")
	assert.NotContains(t, err.Error(), "Ctim")
	err = newSources().check(system{"darwin", "arm64"}, ".", pkg)
	require.ErrorContains(t, err, "file.Ctim undefined")
	err = newSources().check(system{"windows", "amd64"}, ".", pkg)
	assert.ErrorContains(t, err, "Stat_t")
}
