package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/deps"
	"strata/tests/lab/internal/layout"
)

const (
	// tellEvery is the interval between a build's progress lines.
	tellEvery = 5 * time.Second
	// stepsAtOnce is the number of steps that run at the same time. Two are enough, because the go
	// command uses every core by itself.
	stepsAtOnce = 2
)

// newBuild returns the command `lab build`. It builds the tools, and assembles the bundle and
// PULUMI_HOME.
func newBuild(at layout.Layout) *cobra.Command {
	var wanted string
	var only []string
	bundle := at.Bundle()
	if catalog.NoDelays() {
		bundle = at.ZeroBundle() // the bundle with delays must stay, because everything else uses it
	}
	command := &cobra.Command{
		Use: "build",
		Short: "Install the Debian packages that are missing, build every tool and the program, " +
			"and assemble the bundle and PULUMI_HOME; what ORIGINALS=DIR has is taken",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			steps, err := chosen(command, at, bundle, only, wanted)
			if err != nil {
				return err
			}
			// Check the permission to install packages before the build, which may take an hour.
			if err := deps.Allowed(command.Context(), deps.Packages); err != nil {
				return err
			}
			outputs, err := runSteps(command, at, steps, stepsAtOnce)
			if err != nil {
				return err
			}
			if len(only) == 0 {
				_, _ = fmt.Fprintln(command.OutOrStdout(), bundle)
			}
			for _, name := range only {
				_, _ = fmt.Fprintln(command.OutOrStdout(), outputs[name].Dir)
			}
			return nil
		},
	}
	command.Flags().StringSliceVar(&only, "only", nil,
		"build just these steps and what they need, and print the folder of each")
	command.Flags().StringVar(&wanted, "for", "", "build just these artifacts, by their names, "+
		"with Pulumi, the plugins and the program (default: all artifacts)")
	command.MarkFlagsMutuallyExclusive("only", "for")
	return command
}

// chosen returns the steps that the flags select. --only names steps, and --for names artifacts.
// Without either flag, it returns all steps.
func chosen(command *cobra.Command, at layout.Layout, bundle string, only []string, wanted string) (
	[]build.Step, error) {
	switch {
	case len(only) > 0:
		steps, err := build.Select(catalog.Steps(at, bundle), only)
		if err != nil {
			return nil, fmt.Errorf("--only: %w", err)
		}
		return steps, nil
	case command.Flags().Changed("for"):
		steps, err := stepsFor(at, bundle, wanted, command.ErrOrStderr())
		if err != nil {
			return nil, fmt.Errorf("--for: %w", err)
		}
		return steps, nil
	case at.Originals != "":
		names, err := catalog.ArtifactsOf(at)
		if err != nil {
			return nil, err
		}
		return catalog.StepsFor(at, bundle, names)
	}
	return catalog.Steps(at, bundle), nil
}
