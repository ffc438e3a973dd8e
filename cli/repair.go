package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata/actions/hosts/inventory"
	"strata/actions/hosts/leftovers"
	"strata/actions/stack/recovery"
	"strata/internal/pulumi/stackstate"
)

// newRepairCommand returns `strata repair`. Its report goes to stderr; stdout has shell assignments
// for the next run: eval "$(strata repair -s STACK)".
func newRepairCommand() *cobra.Command {
	var stack, project string
	var forget []string
	command := &cobra.Command{
		Use:   "repair",
		Short: "Repair a stack's state after a killed run, or when a host is lost",
		Long: "Removes the lock of a dead process, the plugins it left running, half-done Helm " +
			"releases and interrupted\n" +
			"operations in the state. The next run repeats an interrupted command, even if its " +
			"change was taken back.\n" +
			"If the stack is in use, it changes nothing and exits with 1.\n\n" +
			"With --forget, it then removes hosts that no longer answer from the state, so that `pulumi destroy` or\n" +
			"`pulumi up` can end; `strata orphans` lists them. K3s stays on such a host.\n\n" +
			"Prints the environment that the next `pulumi up` needs: eval \"$(strata repair -s STACK)\".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(project)
			if err != nil {
				return err
			}
			pulumi := stackstate.CommandLine(dir)
			r := recovery.Recovery{
				ProjectDir: dir, Stack: stack, Pulumi: pulumi, Log: cmd.ErrOrStderr(),
				Reach: reachCluster,
			}
			if err := runRepair(cmd, &r); err != nil || len(forget) == 0 {
				return err
			}
			return leftovers.Forget(cmd.Context(), cmd.ErrOrStderr(), pulumi, stack, forget)
		},
	}
	ofStack(command, &stack, &project)
	command.Flags().StringSliceVar(&forget, "forget", nil,
		"a node whose host does not answer and will not come back: remove it from the state")
	return command
}

// reachCluster opens the tunnel that the gates in a state use, so that the cluster's API can be
// reached. The caller must call the returned function, which closes the tunnel.
func reachCluster(ctx context.Context, state *stackstate.State) (func(), error) {
	gates, err := inventory.Gates(state)
	if err != nil {
		return nil, err
	}
	lease, err := inventory.OpenTunnel(ctx, gates)
	return lease.Close, err
}

func runRepair(cmd *cobra.Command, r *recovery.Recovery) error {
	result, err := r.Run(cmd.Context())
	if err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	if result.Upsert {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "export %s=true\n", recovery.UpsertVariable)
	}
	return err
}
