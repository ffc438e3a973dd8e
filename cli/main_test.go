package cli

import (
	"os"
	"testing"

	"strata/internal/pulumi/statelayout"
)

// TestMain sets the layout variable that a state's commands set, so that tests can run the verbs of
// resources.
func TestMain(m *testing.M) {
	if err := os.Setenv(statelayout.Variable, statelayout.Version); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
