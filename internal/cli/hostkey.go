package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote"
)

// hostKeyInput is what `strata hostkey` reads.
type hostKeyInput struct {
	Address string          `json:"address"`
	Port    int             `json:"port"`
	Timeout metav1.Duration `json:"timeout"`
}

// newHostKeyCommand is `strata hostkey`: the bounded first contact with a host. It prints the host's public key in
// authorized_keys form, to be pinned, and logs in nowhere.
func newHostKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hostkey",
		Short: `Print a host's public key: {"address","port","timeout"} on stdin`,
		Args:  cobra.NoArgs,
		RunE: fromStdin("hostkey", func(ctx context.Context, cmd *cobra.Command, input hostKeyInput) error {
			if input.Address == "" {
				return &exitError{2, errors.New("hostkey: an address is required")}
			}
			key, err := remote.Scan(ctx, input.Address, input.Port)
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("%w; check strata:hosts.nodes[].address and that the host is on, or raise strata:timeouts.host (now %s)",
					err, input.Timeout.Duration)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		}),
	}
}
