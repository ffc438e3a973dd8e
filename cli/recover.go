package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"strata/actions/hosts/inventory"
	"strata/actions/stack/recovery"
	"strata/internal/pulumi/stackstate"
)

// newRecoverCommand is `strata recover`. What it did goes to stderr, what the next run needs to
// stdout, as shell assignments: eval "$(strata recover -s STACK)".
func newRecoverCommand() *cobra.Command {
	var stack, project string
	command := &cobra.Command{
		Use:   "recover",
		Short: "Clear what a killed run left, and only that, so that the next one converges",
		Long: "Clear the lock of a dead process, the plugins it left running, half-done Helm releases and interrupted\n" +
			"operations in the state. A command whose update was interrupted runs again with the next up, also where its\n" +
			"configuration was taken back by then. A live owner is never touched: then nothing is, and the exit code is 1.\n" +
			"Prints the environment that the next `pulumi up` needs: eval \"$(strata recover -s STACK)\".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := filepath.Abs(project)
			if err != nil {
				return err
			}
			r := recovery.Recovery{
				ProjectDir: dir, Stack: stack, Pulumi: stackstate.CommandLine(dir), Log: cmd.ErrOrStderr(), Reach: reachCluster,
			}
			return runRecovery(cmd, &r)
		},
	}
	ofStack(command, &stack, &project)
	return command
}

// reachCluster opens the tunnel that the gates of a state have.
func reachCluster(ctx context.Context, state *stackstate.State) (func(), error) {
	gates, err := inventory.Gates(state)
	if err != nil {
		return nil, err
	}
	lease, err := inventory.OpenTunnel(ctx, gates)
	return lease.Close, err
}

func runRecovery(cmd *cobra.Command, r *recovery.Recovery) error {
	result, err := r.Run(cmd.Context())
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if result.Upsert {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "export %s=true\n", recovery.UpsertVariable)
	}
	return err
}
