package catalog

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/deps"
	"strata/tests/lab/internal/gobuild"
	"strata/tests/lab/internal/layout"
)

// Steps without a cached output, because they write to this machine or to the checkout.
const (
	stepPackages = "debian-packages"
	stepProgram  = "program"
	stepLab      = "lab"
	stepHome     = "pulumi-home/manifest"
	stepBundle   = "bundle"
)

// packagesStep returns the step that installs the missing Debian packages on this machine.
// Compilations need no such package.
func packagesStep() build.Step {
	return build.Step{
		Name: stepPackages, Beside: true,
		Run: func(ctx context.Context, _ string, _ build.Outputs, log io.Writer) error {
			return deps.Install(ctx, log, deps.Packages)
		},
	}
}

// programStep returns the step that builds Strata's program like `make build`, with the flags of
// the lab's other commands. It has no key, because the go command itself detects changes. It
// downloads sources only if there is no binary yet.
func programStep(at layout.Layout) build.Step {
	command := gobuild.Command{Module: at.Checkout, Packages: []string{"."}, Output: "strata"}
	step := binaryStep(at, stepProgram, command)
	if _, err := os.Stat(filepath.Join(at.Local(), "bin", command.Output)); err != nil {
		step.Fetch = func(ctx context.Context, log io.Writer) error { return fetch(ctx, command, log) }
	}
	return step
}

// labStep returns the step that builds the command lab into the checkout. The lab's machines are
// processes of this binary, so its path must not change. The step downloads nothing, because the
// build of the running command has downloaded the sources.
func labStep(at layout.Layout) build.Step {
	return binaryStep(at, stepLab, gobuild.Command{Module: at.Lab(),
		Packages: []string{"./cmd/lab"}, Output: filepath.Base(Binary(at))})
}

// Binary returns the path of the command lab that labStep builds.
func Binary(at layout.Layout) string { return filepath.Join(at.Local(), "bin", "lab") }

// binaryStep returns a step that builds a command into the checkout's folder .strata/bin.
func binaryStep(at layout.Layout, name string, command gobuild.Command) build.Step {
	bin := filepath.Join(at.Local(), "bin")
	return build.Step{
		Name: name,
		Run: func(ctx context.Context, _ string, _ build.Outputs, log io.Writer) error {
			if err := os.MkdirAll(bin, 0o755); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return command.Build(ctx, bin, log)
		},
	}
}

// compiled returns the step that compiles a command, including its download.
func compiled(lab, name string) build.Step {
	step := commandStep(lab, name)
	command := commands()[name]
	command.Module = filepath.Join(lab, command.Module)
	step.Fetch = func(ctx context.Context, log io.Writer) error { return fetch(ctx, command, log) }
	return step
}

// filesAtOnce makes the go command download 16 modules at once. That hides the latency of each
// request.
const filesAtOnce = "GOMAXPROCS=16"

// fetch downloads only the sources that a command's packages need. `go mod download` would also
// download modules for other systems and build tags.
func fetch(ctx context.Context, command gobuild.Command, log io.Writer) error {
	return command.Edited(ctx, log, func(command gobuild.Command) error {
		args := []string{"list", "-deps", "-mod=readonly"}
		if len(command.Tags) > 0 {
			args = append(args, "-tags", strings.Join(command.Tags, ","))
		}
		list := exec.CommandContext(ctx, "go", append(args, command.Packages...)...)
		list.Dir = command.Module
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOTOOLCHAIN=local", filesAtOnce)
		list.Stderr = log
		if err := list.Run(); err != nil {
			return fmt.Errorf("go list in %s: %w", command.Module, err)
		}
		return nil
	})
}
