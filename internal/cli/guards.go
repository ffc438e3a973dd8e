package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/internal/machineset"
	"strata/internal/nspawn"
	"strata/internal/teardown"
	"strata/internal/tunnel"
)

// newMachineGuardCommand is `strata machine-guard`: it reads the wanted machines on stdin and the previous ones from its
// previous output; refuses what would lose a machine without consent, or the cluster; and prints the
// wanted machines for the next run.
func newMachineGuardCommand() *cobra.Command {
	var ended bool
	command := &cobra.Command{
		Use:    "machine-guard",
		Short:  "Refuse what would make machines anew without consent (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("machine-guard", func(ctx context.Context, cmd *cobra.Command, wanted machineset.Set) error {
			if ended {
				return nspawn.Forget(ctx, wanted.Here())
			}
			before, err := previous[machineset.Set]("machine-guard")
			if err != nil {
				return err
			}
			plan, err := machineset.Judge(before, wanted)
			if err == nil {
				err = plan.Ask(ctx)
			}
			if err != nil {
				return fmt.Errorf("layer hosts: nothing was changed:\n%w", err)
			}
			for _, anew := range plan.Anew {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "machine %s is made anew (recreate: %s)\n", anew.Name, anew.Recreate)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(machineset.Remember(before, wanted))
		}),
	}
	command.Flags().BoolVar(&ended, "ended", false, "the machines are gone and so is their stack: forget that they left")
	return command
}

// newTeardownCommand is `strata teardown`: the delete of the guard, which is the first of a destroy. It fails where the cluster is
// protected, and says what will be lost. It stands in states, so it must go on working as it is. The kubeconfig comes in STRATA_KUBECONFIG.
func newTeardownCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "teardown",
		Short:  "Refuse to destroy a protected cluster, and say what will be lost (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("teardown", func(ctx context.Context, cmd *cobra.Command, guard teardown.Guard) error {
			lease, err := tunnel.Open(ctx, guard.Tunnel, health.SecretsFrom(os.Getenv).SSHKey)
			if err != nil {
				return guard.Before(ctx, nil, err, cmd.ErrOrStderr())
			}
			defer lease.Close()
			client, err := anyServer(guard.Servers)
			if err != nil {
				client = nil
			}
			return guard.Before(ctx, client, err, cmd.ErrOrStderr())
		}),
	}
}
