package engine_test

import (
	"os"
	"testing"

	"strata/cli"
)

// asStrata is a variable that makes this test binary the command line of Strata. Tests run commands
// of resources with it.
const asStrata = "ENGINE_TEST_AS_STRATA"

func TestMain(m *testing.M) {
	if os.Getenv(asStrata) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
