package cli

import (
	"os"
	"testing"

	"strata/internal/pulumi/statelayout"
)

// TestMain has the verbs that the tests run be those of resources of this program.
func TestMain(m *testing.M) {
	if err := os.Setenv(statelayout.Variable, statelayout.Version); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
