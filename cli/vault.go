package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/cluster/vault"
	"strata/internal/pulumi/stackstate"
)

// newVaultCommand returns `strata vault`.
func newVaultCommand() *cobra.Command {
	command := &cobra.Command{Use: "vault", Short: "Unseal the stack's Vault"}
	command.AddCommand(newUnsealCommand())
	return command
}

// unsealTimeout bounds the whole command; Vault itself answers within a second.
const unsealTimeout = time.Minute

// newUnsealCommand returns `strata vault unseal`. A Vault is sealed after a restart of its Pod,
// until it receives its unseal keys. The command reads the keys from the stack's state.
func newUnsealCommand() *cobra.Command {
	var stack, project string
	command := &cobra.Command{
		Use:   "unseal",
		Short: "Unseal the stack's Vault with the keys in its state, after its Pod was restarted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := stackstate.CommandLine(project).Read(cmd.Context(), stack)
			if err != nil {
				return err
			}
			recorded, err := vault.InState(state)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), unsealTimeout)
			defer cancel()
			if err := recorded.Unseal(ctx, cmd.ErrOrStderr()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Vault in Pod %s/%s is unsealed\n",
				recorded.Server.Namespace, recorded.Server.Pod)
			return err
		},
	}
	ofStack(command, &stack, &project)
	return command
}
