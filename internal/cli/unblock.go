package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/statefulset"
)

// UnblockInput is what `strata unblock` reads on stdin.
type UnblockInput struct {
	// Namespace and StatefulSet are whose broken Pods are taken out of the way.
	Namespace   string `json:"namespace"`
	StatefulSet string `json:"statefulSet"`
	// Revision makes the step run again when it changes; the verb does not read it.
	Revision string          `json:"revision,omitempty"`
	Timeout  metav1.Duration `json:"timeout"`
}

// newUnblockCommand is `strata unblock`. The kubeconfig comes in STRATA_KUBECONFIG.
func newUnblockCommand() *cobra.Command {
	return &cobra.Command{
		Use: "unblock", Short: "Let a StatefulSet past its broken Pods (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("unblock", func(ctx context.Context, cmd *cobra.Command, input UnblockInput) error {
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
