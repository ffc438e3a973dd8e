package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"strata/actions/cluster/reissue"
	"strata/internal/pulumi/self"
)

// newReissueCommand is `strata reissue`. The kubeconfig comes in STRATA_KUBECONFIG, and what it
// printed the last time, the signer and the attempt at it, in PULUMI_COMMAND_STDOUT: none at the
// first time, when nothing has been issued by another one.
func newReissueCommand() *cobra.Command {
	return &cobra.Command{
		Use: "reissue", Short: "Have certificates issued anew by another CA or server (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("reissue", func(ctx context.Context, cmd *cobra.Command, input reissue.Input) error {
			now := input.Signer + " " + os.Getenv(self.Attempt)
			if before := strings.TrimSpace(previousOutput()); before != "" && before != now {
				client, err := dynamicClient("reissue")
				if err != nil {
					return err
				}
				if err := reissue.All(ctx, client, input.Issuer, cmd.ErrOrStderr()); err != nil {
					return fmt.Errorf("reissue: %w", err)
				}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), now)
			return err
		}),
	}
}
