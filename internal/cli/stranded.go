package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strata/config"
	"strata/internal/leftovers"
	"strata/internal/stackstate"
)

// newStrandedCommand is `strata stranded`: after a destroy that failed, which hosts still have an uninstall in the state that
// cannot run because the host does not answer, and how to go on without them; after an up that was killed, which virtual machines
// of the stack its hypervisor has and the state does not. It changes nothing.
func newStrandedCommand() *cobra.Command {
	var stack, project, file string
	command := &cobra.Command{
		Use:   "stranded",
		Short: "Say which dead hosts keep a destroy from ending, which machines the state does not know, and how to go on",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
			if err != nil {
				return err
			}
			return errors.Join(
				leftovers.ShowUnreachable(cmd.Context(), cmd.OutOrStdout(), stack, state),
				showOrphaned(cmd, stackFile(file, project, stack), project, state),
			)
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hypervisor (default Pulumi.STACK.yaml in the project)")
	return command
}

// showOrphaned shows the virtual machines that the state does not know. A stack without hypervisor needs no file here.
func showOrphaned(cmd *cobra.Command, file, project string, state *stackstate.State) error {
	cfg, err := config.FromFile(file)
	if err != nil {
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "virtual machines that the state does not know were not looked for: %v; --config-file names the stack's file\n", err)
		return err
	}
	return leftovers.ShowOrphans(cmd.Context(), cmd.OutOrStdout(), cfg, project, state)
}
