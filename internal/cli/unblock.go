package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"strata/internal/statefulset"
)

// newUnblockCommand is `strata unblock`. The kubeconfig comes in STRATA_KUBECONFIG.
func newUnblockCommand() *cobra.Command {
	return &cobra.Command{
		Use: "unblock", Short: "Let a StatefulSet past its broken Pods (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("unblock", func(ctx context.Context, cmd *cobra.Command, input statefulset.Input) error {
			config, err := restConfig()
			if err != nil {
				return &exitError{2, fmt.Errorf("unblock: %w", err)}
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			return statefulset.Unblock(ctx, client, input.Namespace, input.StatefulSet, cmd.ErrOrStderr())
		}),
	}
}
