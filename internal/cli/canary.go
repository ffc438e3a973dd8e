package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"strata/internal/canary"
	"strata/internal/canary/steps"
)

// newCanaryCommand is `strata canary`. The kubeconfig comes in STRATA_KUBECONFIG.
func newCanaryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "canary", Short: "Give a new version a part of the requests, step by step (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("canary", func(ctx context.Context, cmd *cobra.Command, spec canary.Spec) error {
			config, err := restConfig()
			if err != nil {
				return &exitError{2, fmt.Errorf("canary: %w", err)}
			}
			return steps.Run(ctx, config, spec, cmd.ErrOrStderr())
		}),
	}
}
