package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/health"
	k3snode "strata/internal/k3s/node"
)

// newPushCommand is `strata push`: it copies a file to a host unless it is there, verifies it at the other end, and prints its
// sum. The private key comes in STRATA_SSH_KEY.
func newPushCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "push",
		Short:  "Copy an artifact to a host (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("push", func(ctx context.Context, cmd *cobra.Command, push k3snode.Push) error {
			mode, err := push.Permissions()
			if err != nil {
				return &exitError{2, err}
			}
			sent, err := push.Send(ctx, mode, health.SecretsFrom(os.Getenv).SSHKey)
			if err != nil {
				return err
			}
			if !sent {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s has %s already\n", push.Target.Name, push.Dest)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), push.SHA256)
			return err
		}),
	}
}
