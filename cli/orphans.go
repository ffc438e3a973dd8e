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

// orphansFlags are the flags of `strata orphans`.
type orphansFlags struct {
	stack, project, file string
	before, after        bool
}

// newOrphansCommand returns `strata orphans`.
func newOrphansCommand() *cobra.Command {
	var flags orphansFlags
	command := &cobra.Command{
		Use: "orphans",
		Short: "List virtual machines that no state has, and hosts in the state that do not " +
			"answer, each with the next command",
		Long: "A killed run or a lost state leaves machines that no destroy removes; a dead host " +
			"keeps a destroy from\n" +
			"ending. It changes nothing.\n\n" +
			"With --before-destroy it prints the cluster's identity as JSON, which the state " +
			"forgets with the destroy. With\n" +
			"that on its stdin, --after-destroy exits with 1 if a machine of the cluster is left.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.after {
				return flags.afterDestroy(cmd)
			}
			state, err := stackstate.CommandLine(flags.project).Read(cmd.Context(), flags.stack)
			if err != nil {
				return err
			}
			if flags.before {
				known, err := leftovers.KnownBefore(state)
				return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(known))
			}
			return flags.list(cmd, state)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.before, "before-destroy", false,
		"print the stack's cluster, and the hypervisor's pinned host key")
	command.Flags().BoolVar(&flags.after, "after-destroy", false,
		"exit with 1 if a virtual machine of the cluster on stdin is left")
	command.MarkFlagsMutuallyExclusive("before-destroy", "after-destroy")
	return command
}

// list prints the hosts that do not answer, and the machines that are not in the state. If the
// stack file cannot be read, it prints the hosts and a warning.
func (f orphansFlags) list(cmd *cobra.Command, state *stackstate.State) error {
	err := leftovers.ShowUnreachable(cmd.Context(), cmd.OutOrStdout(), f.stack, state)
	cfg, unread := f.config()
	if unread != nil {
		_, failed := fmt.Fprintf(cmd.ErrOrStderr(),
			"virtual machines that the state does not know were not searched for: %v\n", unread)
		return errors.Join(err, failed)
	}
	return errors.Join(err, leftovers.ShowOrphans(cmd.Context(), cmd.OutOrStdout(), cfg,
		f.project, state))
}

func (f orphansFlags) afterDestroy(cmd *cobra.Command) error {
	cfg, err := f.config()
	if err != nil || cfg.OnExistingCluster() {
		return err
	}
	known, err := leftovers.ReadBefore(cmd.InOrStdin())
	if err != nil {
		return err
	}
	return leftovers.ShowLeft(cmd.Context(), cfg, f.project, known, cmd.OutOrStdout())
}

func (f orphansFlags) config() (*config.Config, error) {
	cfg, err := config.OfStack(f.project, f.stack, stackFile(f.file, f.project, f.stack))
	if err != nil {
		return nil, fmt.Errorf("%w; --config-file names the stack's file", err)
	}
	return cfg, nil
}
