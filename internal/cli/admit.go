package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/internal/k3s/members"
)

// newAdmitCommand is `strata admit`: before a host without K3s joins, what another host of its name left in the cluster is removed.
// It prints the host's key: another key is another host.
func newAdmitCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "admit",
		Short:  "Free a node's name of the host that had it before (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("admit", func(ctx context.Context, cmd *cobra.Command, question members.Admission) error {
			question.Again = previousOutput() != ""
			if err := question.Admit(ctx, health.SecretsFrom(os.Getenv).SSHKey, cmd.ErrOrStderr()); err != nil {
				return fmt.Errorf("layer k3s: admit %s: %w", question.Node.Name, err)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), question.Node.HostKey)
			return err
		}),
	}
}
