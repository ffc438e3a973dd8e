package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/catalog"
	"strata/tests/lab/internal/deps"
	"strata/tests/lab/internal/layout"
)

// newVM returns the command `lab vm`. It installs QEMU and libvirt, and builds a bundle that has
// the disk image of virtual machines.
func newVM(at layout.Layout) *cobra.Command {
	return &cobra.Command{
		Use:   "vm",
		Short: "Install QEMU and libvirt, and build the disk image of virtual machines (minutes)",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := deps.Install(command.Context(), command.ErrOrStderr(), deps.VMPackages); err != nil {
				return err
			}
			if _, err := runSteps(command, at, catalog.VMSteps(at.Lab(), at.VMBundle()), 1); err != nil {
				return err
			}
			_, err := fmt.Fprintln(command.OutOrStdout(), at.VMBundle())
			return err
		},
	}
}
