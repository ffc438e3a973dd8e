package engine_test

import (
	"os"
	"testing"

	"strata/cli"
)

// asStrata is the variable that makes this test binary behave as the program strata. With it, tests
// run commands of resources.
const asStrata = "ENGINE_TEST_AS_STRATA"

func TestMain(m *testing.M) {
	if os.Getenv(asStrata) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
