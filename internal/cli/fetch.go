package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"strata/config"
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
			pins, err := projectPins(project)
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

// projectPins are the pins of every stack file of a project, each once; without stack files, the default ones.
func projectPins(project string) ([]config.Pin, error) {
	paths, err := filepath.Glob(filepath.Join(project, "Pulumi.*.yaml"))
	if err != nil {
		return nil, err
	}
	pins := config.Pins(config.Versions{})
	for _, path := range paths {
		cfg, err := config.FromFile(path)
		if err != nil {
			return nil, err
		}
		for _, pin := range cfg.Pins() {
			if !slices.Contains(pins, pin) {
				pins = append(pins, pin)
			}
		}
	}
	return pins, nil
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
