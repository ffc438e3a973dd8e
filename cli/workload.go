package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"strata/actions/cluster/canary"
	"strata/actions/cluster/canary/steps"
	"strata/actions/cluster/statefulset"
	"strata/internal/pulumi/self"
)

// newCanaryCommand is `strata canary`. The kubeconfig comes in STRATA_KUBECONFIG, and what it
// printed the last time, a digest of what was tried, in PULUMI_COMMAND_STDOUT: what has passed is
// not tried again because another user logs in.
func newCanaryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "canary", Short: "Give a new version a part of the requests, step by step (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("canary", func(ctx context.Context, cmd *cobra.Command, spec canary.Spec) error {
			tried, err := spec.Attempt(os.Getenv(self.Attempt))
			if err != nil {
				return err
			}
			if tried != strings.TrimSpace(previousOutput()) {
				config, err := restConfig()
				if err != nil {
					return &exitError{2, fmt.Errorf("canary: %w", err)}
				}
				if err := steps.Run(ctx, config, spec, cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), tried)
			return err
		}),
	}
}

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
