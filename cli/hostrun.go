package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"strata/actions/hosts/hostrun"
	"strata/actions/k3s/members"
	"strata/health"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

// readPast reads a stack's past; a resource's command runs in the project's folder.
func readPast(ctx context.Context, stack string) (members.Past, error) {
	return members.ReadPast(ctx, stackstate.CommandLine("."), stack)
}

// newHostRunCommand is `strata host-run`: a script on a host, whose output it prints. It stands in
// states, whose deletes run it with --delete, so it must go on working as it is. The private key
// comes in STRATA_SSH_KEY.
func newHostRunCommand() *cobra.Command {
	var gone bool
	command := &cobra.Command{
		Use:    "host-run",
		Short:  "Run a script on a host (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("host-run", func(ctx context.Context, cmd *cobra.Command, input hostrun.Input) error {
			if input.Founds != "" && !gone {
				past, err := readPast(ctx, input.Founds)
				if err != nil {
					return err
				}
				input.Script = fmt.Sprintf("FOUNDS=%t\nCA_HASH=%s\n", !past.Cluster, remote.Quote(past.CAHash)) + input.Script
			}
			return input.Run(ctx, gone, health.SecretsFrom(os.Getenv).SSHKey, cmd.OutOrStdout())
		}),
	}
	command.Flags().BoolVar(&gone, "delete", false, "run the script of the delete")
	return command
}
