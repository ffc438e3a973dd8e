package cli

import (
	"context"

	"github.com/spf13/cobra"

	"strata/internal/gatewayclass"
)

// newClassCommand is `strata class release`. The kubeconfig comes in STRATA_KUBECONFIG.
func newClassCommand() *cobra.Command {
	command := &cobra.Command{Use: "class", Short: "Take a GatewayClass away (run by the program's own resources)", Hidden: true}
	command.AddCommand(&cobra.Command{
		Use: "release", Short: "Delete the class, and its finalizer where no controller runs any more", Args: cobra.NoArgs,
		RunE: fromStdin("class release", func(ctx context.Context, cmd *cobra.Command, input gatewayclass.Input) error {
			client, err := dynamicClient("class release")
			if err != nil {
				return err
			}
			return gatewayclass.Release(ctx, client, input.Class, input.Finalizer, gatewayclass.Patience, cmd.ErrOrStderr())
		}),
	})
	return command
}
