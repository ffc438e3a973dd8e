package cli

import (
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/internal/k3s/members"
)

// newMembersCommand is `strata members`: it reads the wanted set on stdin and the previous one from its previous output; refuses an address
// whose node has another name; removes what left; and prints the wanted set for the next run.
func newMembersCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "members",
		Short:  "Take leaving nodes out of the cluster (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("members", func(ctx context.Context, cmd *cobra.Command, wanted members.Set) error {
			before, err := previous[members.Set]("members")
			if err != nil {
				return err
			}
			if err := members.Moved(before, wanted); err != nil {
				return err
			}
			if left := members.Left(before, wanted); len(left) > 0 {
				config, err := restConfig()
				if err != nil {
					return &exitError{2, err}
				}
				remover := &members.Remover{Servers: wanted.Servers(), SSHKey: health.SecretsFrom(os.Getenv).SSHKey, Log: cmd.ErrOrStderr()}
				if err := remover.Leave(ctx, config, left, wanted.DiscardVolumesOf); err != nil {
					return err
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(wanted)
		}),
	}
}
