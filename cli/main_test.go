package cli

import (
	"os"
	"testing"

	"strata/internal/pulumi/statelayout"
)

// TestMain runs the verbs of resources with this program, because tests start the test binary as
// Strata.
func TestMain(m *testing.M) {
	if err := os.Setenv(statelayout.Variable, statelayout.Version); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
