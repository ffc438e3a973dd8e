package cli

import (
	"context"

	"github.com/spf13/cobra"

	"strata/internal/teardown"
)

// newTeardownCommand is `strata teardown`: the delete of the guard, which is the first of a destroy. It fails where the cluster is
// protected, and says what will be lost. It stands in states, so it must go on working as it is. The kubeconfig comes in STRATA_KUBECONFIG.
func newTeardownCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "teardown",
		Short:  "Refuse to destroy a protected cluster, and say what will be lost (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("teardown", func(ctx context.Context, cmd *cobra.Command, guard teardown.Guard) error {
			client, err := anyServer(guard.Servers)
			if err != nil {
				client = nil
			}
			return guard.Before(ctx, client, err, cmd.ErrOrStderr())
		}),
	}
}
