package engine_test

import (
	"os"
	"testing"

	"strata/cli"
)

// asStrata makes this test binary the command line of Strata, for commands of resources that a
// test runs.
const asStrata = "ENGINE_TEST_AS_STRATA"

func TestMain(m *testing.M) {
	if os.Getenv(asStrata) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
