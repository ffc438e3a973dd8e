package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata/internal/artifacts"
)

// newFetchCommand is `strata fetch`: download what is pinned and record its sums.
func newFetchCommand() *cobra.Command {
	var project string
	command := &cobra.Command{
		Use:   "fetch",
		Short: "Download the pinned artifacts from upstream and record their sums in strata.lock",
		Long: "Download every pinned artifact (config/versions.go), at the versions that the project's stack files name, check\n" +
			"each against upstream's own sums and against strata.lock, and write strata.lock. Downloads are kept in the\n" +
			"user's cache and resume where they stopped.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pins, err := artifacts.ProjectPins(project)
			if err != nil {
				return err
			}
			if err := artifacts.Fetch(cmd.Context(), project, pins, cmd.ErrOrStderr()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has the sums of %d artifacts; commit it\n", artifacts.LockFile, len(pins))
			return err
		},
	}
	command.Flags().StringVar(&project, "project", ".", "the project's folder")
	return command
}

// newBundleCommand is `strata bundle`.
func newBundleCommand() *cobra.Command {
	command := &cobra.Command{Use: "bundle", Short: "Look at a bundle folder"}
	command.AddCommand(&cobra.Command{
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
