package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata/artifacts"
)

// bundleModule is the module that makes bundles, relative to the project.
const bundleModule = "tools/bundle"

// newBundleCommand returns `strata bundle`.
func newBundleCommand() *cobra.Command {
	command := &cobra.Command{Use: "bundle",
		Short: "Make or verify a folder with all that a stack needs where there is no internet"}
	command.AddCommand(newBundleMakeCommand(), &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every file of a bundle folder against its manifest, and say what is real and what a stand-in",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if _, err := os.Stat(dir); err != nil {
				return fmt.Errorf("bundle: %w", err)
			}
			return artifacts.VerifyBundle(dir, cmd.OutOrStdout())
		},
	})
	return command
}

// newBundleMakeCommand returns `strata bundle make`. It runs the Go module tools/bundle, so that no
// other command compiles that module's libraries.
func newBundleMakeCommand() *cobra.Command {
	var project, stack, file string
	command := &cobra.Command{
		Use:   "make DIR --stack STACK",
		Short: "Fill a folder with all that a stack needs where there is no internet",
		Long: "On a machine with the internet and Go, download what the stack's file asks for at " +
			"its pinned versions, pull every image of its charts and\n" +
			"workloads by digest, and place them in DIR with Pulumi, its plugins, the compiled " +
			"program and the stack's file. strata.lock gets the sums.\n" +
			"A second run takes what has changed. Mirrors and logins are those of " +
			"strata:artifacts.mirror and strata:k3s.registries; a login that is\n" +
			"encrypted there is taken from `docker login`. DIR/README.md says how to go on without the internet.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return makeBundle(cmd, project, path.Base(stack), stackFile(file, project, stack),
				args[0])
		},
	}
	ofStack(command, &stack, &project)
	ofFile(command, &file)
	return command
}

// makeBundle makes a bundle of the stack in dir.
func makeBundle(cmd *cobra.Command, project, stack, file, dir string) error {
	return runBundle(cmd, "bundle make", dir+" is not whole", project, stack, file, "-into", dir)
}

// runBundle compiles and runs the module in bundleModule. An interrupt of this command also stops
// the module. left is the end of the error message: it names the files that a failed run leaves
// incomplete.
func runBundle(
	cmd *cobra.Command, command, left, project, stack, file string, more ...string,
) error {
	// Make the path absolute: go -C would resolve a relative output path in the module's folder.
	project, err := filepath.Abs(project)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(project, bundleModule)); err != nil {
		return &exitError{2, fmt.Errorf(
			"%s: %w: run it in a checkout of Strata, or name one by --project", command, err)}
	}
	program := filepath.Join(project, ".strata/bin/bundle")
	for _, arguments := range [][]string{
		{"go", "-C", filepath.Join(project, bundleModule), "build", "-o", program, "."},
		append([]string{program, "-project", project, "-stack", stack, "-config-file", file},
			more...),
	} {
		run := exec.CommandContext(cmd.Context(), arguments[0], arguments[1:]...)
		run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
		run.Stdout, run.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
		var failed *exec.ExitError
		if err := run.Run(); errors.As(err, &failed) {
			return &exitError{1, fmt.Errorf("%s: %s; after the fix run the same again",
				command, left)}
		} else if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}
