package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strata/actions/hosts/leftovers"
	"strata/config"
	"strata/internal/pulumi/stackstate"
)

// newLeftoversCommand returns `strata leftovers`: after a destroy that succeeded, it fails naming
// the virtual machines that interrupted runs left. The state knows nothing of them, so no later run
// would find them.
func newLeftoversCommand() *cobra.Command {
	var stack, project, file string
	var before bool
	command := &cobra.Command{
		Use:   "leftovers",
		Short: "After a destroy: name the virtual machines of the stack that interrupted runs left",
		Long: "With --before, prints the cluster's identity as JSON. Given that on stdin after the destroy,\n" +
			"machines of another state of the same stack file are not named.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before {
				state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
				if err != nil {
					return err
				}
				return json.NewEncoder(cmd.OutOrStdout()).Encode(leftovers.KnownBefore(state))
			}
			cfg, err := config.OfStack(project, stack, stackFile(file, project, stack))
			switch {
			case err != nil:
				return fmt.Errorf("%w; --config-file names the stack's file", err)
			case cfg.OnExistingCluster():
				return nil // no host of it is the stack's
			}
			known, err := leftovers.ReadBefore(cmd.InOrStdin())
			if err != nil {
				return err
			}
			return leftovers.ShowLeft(cmd.Context(), cfg, project, known, cmd.OutOrStdout())
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hosts (default Pulumi.STACK.yaml in the project)")
	command.Flags().BoolVar(&before, "before", false, "print what the state tells before the destroy")
	return command
}

// newStrandedCommand is `strata stranded`: after a destroy that failed, which hosts still have an
// uninstall in the state that cannot run because the host does not answer, and how to go on without
// them; after an up that was killed, which virtual machines of the stack its hypervisor has and the
// state does not. It changes nothing.
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
				showOrphaned(cmd, stack, stackFile(file, project, stack), project, state),
			)
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hypervisor (default Pulumi.STACK.yaml in the project)")
	return command
}

// showOrphaned shows the virtual machines that the state does not know. A stack without hypervisor
// needs no file here.
func showOrphaned(cmd *cobra.Command, stack, file, project string, state *stackstate.State) error {
	cfg, err := config.OfStack(project, stack, file)
	if err != nil {
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "virtual machines that the state does not know were not searched for: %v; --config-file names the stack's file\n", err)
		return err
	}
	return leftovers.ShowOrphans(cmd.Context(), cmd.OutOrStdout(), cfg, project, state)
}
