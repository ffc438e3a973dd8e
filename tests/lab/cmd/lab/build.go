package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/layout"
)

// remindEvery is how often a long step says that it still runs.
const remindEvery = 15 * time.Second

// newBuild returns the verb that builds the tools and assembles bundle and PULUMI_HOME.
func newBuild(at layout.Layout) *cobra.Command {
	var out string
	var jobs int
	var only []string
	command := &cobra.Command{
		Use:   "build",
		Short: "Build every tool and assemble the bundle and PULUMI_HOME",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(out)
			if err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			steps, err := build.Select(catalog.Steps(at, dir), only)
			if err != nil {
				return fmt.Errorf("--only: %w", err)
			}
			progress := build.NewProgress(command.ErrOrStderr())
			done := make(chan struct{})
			defer close(done)
			go progress.Remind(remindEvery, done)
			runner := build.Runner{Dir: at.Tools(), Jobs: jobs, Progress: progress}
			if _, err := runner.Run(command.Context(), steps); err != nil {
				return err
			}
			if len(only) == 0 {
				fmt.Fprintln(command.OutOrStdout(), dir)
			}
			return nil
		},
	}
	bundle := at.Bundle()
	if catalog.NoDelays() {
		bundle = at.ZeroBundle() // never in the place of the one that everything else runs from
	}
	command.Flags().StringVar(&out, "out", bundle, "folder of the bundle")
	command.Flags().IntVar(&jobs, "jobs", 2, "steps that run at once")
	command.Flags().StringSliceVar(&only, "only", nil, "build just these steps and what they need")
	return command
}
