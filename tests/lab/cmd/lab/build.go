package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/deps"
	"strata/tests/lab/internal/layout"
)

// tellEvery is how often a build says how far it is.
const tellEvery = 5 * time.Second

// newBuild returns the verb that builds the tools and assembles bundle and PULUMI_HOME.
func newBuild(at layout.Layout) *cobra.Command {
	var out, wanted string
	var jobs int
	var only []string
	command := &cobra.Command{
		Use:   "build",
		Short: "Install the Debian packages that are missing, build every tool and the program, and assemble the bundle and PULUMI_HOME",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(out)
			if err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			steps := catalog.Steps(at, dir)
			switch {
			case len(only) > 0:
				if steps, err = build.Select(steps, only); err != nil {
					return fmt.Errorf("--only: %w", err)
				}
			case command.Flags().Changed("for"):
				if steps, err = stepsFor(at, dir, wanted, command.ErrOrStderr()); err != nil {
					return fmt.Errorf("--for: %w", err)
				}
			}
			// Nobody shall wait for an hour to hear it.
			if err := deps.Allowed(command.Context(), deps.Packages); err != nil {
				return err
			}
			if err := runSteps(command, at, steps, jobs); err != nil {
				return err
			}
			if len(only) == 0 {
				_, _ = fmt.Fprintln(command.OutOrStdout(), dir)
			}
			return nil
		},
	}
	bundle := at.Bundle()
	if catalog.NoDelays() {
		bundle = at.ZeroBundle() // never in the place of the one that everything else runs from
	}
	command.Flags().StringVar(&out, "out", bundle, "folder of the bundle")
	command.Flags().IntVar(&jobs, "jobs", 2, "steps that compile at once")
	command.Flags().StringSliceVar(&only, "only", nil, "build just these steps and what they need")
	command.Flags().StringVar(&wanted, "for", "", "build just these artifacts, by their names, with Pulumi, the plugins and the program (default: all artifacts)")
	command.MarkFlagsMutuallyExclusive("only", "for")
	return command
}
