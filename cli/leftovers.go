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

// newLeftoversCommand is `strata leftovers`: after a destroy that succeeded, it removes what runs
// that broke off left of the stack's hosts, where that is half made, and fails naming what is
// whole: the state knows nothing of it, so no later run would find it.
func newLeftoversCommand() *cobra.Command {
	var stack, project, file string
	var unfinished bool
	command := &cobra.Command{
		Use:   "leftovers",
		Short: "After a destroy: remove the half-made machines and the bridge that broken-off runs left, and name what else is left",
		Long: "With --unfinished, prints as JSON the cluster's identity and the machines whose creation the state has as interrupted, and removes\n" +
			"nothing. Given that on stdin after the destroy, those are removed also where the creation has come to an end since, and machines of\n" +
			"another state of the same stack file are left alone.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if unfinished {
				state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
				if err != nil {
					return err
				}
				known, err := leftovers.KnownBefore(state)
				return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(known))
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
			return leftovers.Remove(cmd.Context(), cfg, project, known, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringVar(&file, "config-file", "", "the stack's file, which names its hosts (default Pulumi.STACK.yaml in the project)")
	command.Flags().BoolVar(&unfinished, "unfinished", false, "print the machines whose creation was interrupted")
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
