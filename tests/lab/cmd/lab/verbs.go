package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/labenv"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/internal/parts"
)

// newEnv returns the command `lab env`, which prints the lab's environment variables.
func newEnv(at layout.Layout) *cobra.Command {
	return &cobra.Command{
		Use:   "env",
		Short: `Print the lab's environment for a shell: eval "$(go run ./cmd/lab env)"; PLUGINS=official takes the official plugins`,
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			variables, err := labenv.Prepare(at, os.Getenv("PLUGINS"), catalog.PluginFolders())
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(command.OutOrStdout(), labenv.Exports(variables))
			return err
		},
	}
}

// newParts returns the command `lab parts`, which lists real parts and stand-ins.
func newParts(at layout.Layout) *cobra.Command {
	return &cobra.Command{
		Use:   "parts",
		Short: "Print what is real and what is a stand-in, and where a version differs from the pin",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			var artifacts []bundle.Artifact
			for _, dir := range []string{at.Bundle(), at.PulumiHome()} {
				manifest, err := bundle.Read(dir)
				if dir == at.Bundle() && errors.Is(err, os.ErrNotExist) {
					continue // a stack that uses only upstream artifacts needs no bundle
				}
				if err != nil {
					return fmt.Errorf("%w; run: go run ./cmd/lab build", err)
				}
				artifacts = append(artifacts, manifest.Artifacts...)
			}
			pins, err := parts.Pins(at.Checkout)
			if err != nil {
				return err
			}
			return parts.Print(command.OutOrStdout(), parts.List(artifacts, pins))
		},
	}
}
