package state

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// These are paths on this machine, which TestMain sets.
var (
	root       string // the checkout
	tools      string // pulumi with support for buckets, and strata
	pulumiHome string // the lab's
)

// commandLine is the package of Pulumi's command line. Its version is set by a linker variable,
// without which the project refuses it.
const commandLine = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"

const commandLineVersion = "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.274.1"

func TestMain(m *testing.M) {
	code, err := prepared(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests/state: "+err.Error())
		code = 1
	}
	os.Exit(code)
}

// prepared builds the commands and runs the tests.
func prepared(m *testing.M) (int, error) {
	var err error
	if root, err = filepath.Abs("../.."); err != nil {
		return 0, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return 0, err
	}
	pulumiHome = filepath.Join(cache, "strata/pulumi-home")
	if _, err := os.Stat(filepath.Join(pulumiHome, "bin/pulumi-language-go")); err != nil {
		return 0, fmt.Errorf("%w; run `make lab` first", err)
	}
	if tools, err = os.MkdirTemp("", "strata-state-"); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(tools) }()
	for _, build := range [][]string{
		{"build", "-ldflags", "-s -w " + commandLineVersion, "-o", filepath.Join(tools, "pulumi"),
			commandLine},
		{"-C", root, "build", "-o", filepath.Join(tools, "strata"), "."},
	} {
		if output, err := exec.Command("go", build...).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go %v: %w\n%s", build, err, output)
		}
	}
	return m.Run(), nil
}
