package cli

import (
	"context"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/gatewayclass"
)

// ClassInput is what `strata class release` reads on stdin.
type ClassInput struct {
	// Class is the GatewayClass's name, Finalizer its controller's.
	Class     string          `json:"class"`
	Finalizer string          `json:"finalizer"`
	Timeout   metav1.Duration `json:"timeout"`
}

// newClassCommand is `strata class release`. The kubeconfig comes in STRATA_KUBECONFIG.
func newClassCommand() *cobra.Command {
	command := &cobra.Command{Use: "class", Short: "Take a GatewayClass away (run by the program's own resources)", Hidden: true}
	command.AddCommand(&cobra.Command{
		Use: "release", Short: "Delete the class, and its finalizer where no controller runs any more", Args: cobra.NoArgs,
		RunE: fromStdin("class release", func(ctx context.Context, cmd *cobra.Command, input ClassInput) error {
			client, err := dynamicClient("class release")
			if err != nil {
				return err
			}
			return gatewayclass.Release(ctx, client, input.Class, input.Finalizer, gatewayclass.Patience, cmd.ErrOrStderr())
		}),
	})
	return command
}
