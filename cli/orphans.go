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
	remove, unfinished   bool
}

// newOrphansCommand returns `strata orphans`.
func newOrphansCommand() *cobra.Command {
	var flags orphansFlags
	command := &cobra.Command{
		Use:   "orphans",
		Short: "List machines that no state has, and hosts in the state that do not answer, each with the next command",
		Long: "A killed run or a lost state leaves machines that no destroy removes; a dead host keeps a destroy from\n" +
			"ending. Without --remove it changes nothing.\n\n" +
			"With --unfinished it prints, as JSON, the cluster's identity and the machines whose creation was interrupted.\n" +
			"On the stdin of --remove this also removes those that were completed since, and spares another state's.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.remove {
				return flags.removeAfterDestroy(cmd)
			}
			state, err := stackstate.CommandLine(flags.project).Read(cmd.Context(), flags.stack)
			if err != nil {
				return err
			}
			if flags.unfinished {
				known, err := leftovers.KnownBefore(state)
				return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(known))
			}
			return flags.list(cmd, state)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	ofFile(command, &flags.file)
	command.Flags().BoolVar(&flags.remove, "remove", false,
		"after a destroy: remove half-made machines and the bridge, and exit with 1 if a whole machine is left")
	command.Flags().BoolVar(&flags.unfinished, "unfinished", false, "print the machines whose creation was interrupted")
	command.MarkFlagsMutuallyExclusive("remove", "unfinished")
	return command
}

// list reports the hosts that do not answer and the machines that the state does not have. A stack
// without hypervisor needs no stack file for that.
func (f orphansFlags) list(cmd *cobra.Command, state *stackstate.State) error {
	err := leftovers.ShowUnreachable(cmd.Context(), cmd.OutOrStdout(), f.stack, state)
	cfg, unread := f.config()
	if unread != nil {
		_, failed := fmt.Fprintf(cmd.ErrOrStderr(),
			"virtual machines that the state does not know were not searched for: %v\n", unread)
		return errors.Join(err, failed)
	}
	return errors.Join(err, leftovers.ShowOrphans(cmd.Context(), cmd.OutOrStdout(), cfg, f.project, state))
}

func (f orphansFlags) removeAfterDestroy(cmd *cobra.Command) error {
	cfg, err := f.config()
	if err != nil || cfg.OnExistingCluster() {
		return err
	}
	known, err := leftovers.ReadBefore(cmd.InOrStdin())
	if err != nil {
		return err
	}
	return leftovers.Remove(cmd.Context(), cfg, f.project, known, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

func (f orphansFlags) config() (*config.Config, error) {
	cfg, err := config.OfStack(f.project, f.stack, stackFile(f.file, f.project, f.stack))
	if err != nil {
		return nil, fmt.Errorf("%w; --config-file names the stack's file", err)
	}
	return cfg, nil
}
