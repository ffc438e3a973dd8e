package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/stackstate"
	"strata/internal/vault"
)

// unsealTimeout bounds the whole command; Vault itself answers within a second.
const unsealTimeout = time.Minute

// newUnsealCommand is `strata vault unseal`: a Vault whose Pod was restarted is sealed, and nothing but its keys opens it. They
// are read from the stack's state.
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
			recorded, err := vaultIn(state)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), unsealTimeout)
			defer cancel()
			session, err := vault.Open(ctx, recorded.input.Server, []byte(recorded.kubeconfig), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer session.Close()
			if err := vault.Unseal(ctx, session.Client, recorded.keys); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Vault in Pod %s/%s is unsealed\n", recorded.input.Server.Namespace, recorded.input.Server.Pod)
			return err
		},
	}
	ofStack(command, &stack, &project)
	return command
}

// recordedVault is the stack's Vault as the state has it.
type recordedVault struct {
	input      vault.Input
	kubeconfig string
	keys       vault.Keys
}

// vaultIn finds the step that configured Vault: its inputs have the server and the keys.
func vaultIn(state *stackstate.State) (found recordedVault, err error) {
	if commands := state.Running("vault configure"); len(commands) > 0 {
		command := commands[0]
		if err := json.Unmarshal([]byte(command.Input("stdin")), &found.input); err != nil {
			return recordedVault{}, fmt.Errorf("state of %s: stdin: %w", command.URN, err)
		}
		found.kubeconfig = command.Environment("STRATA_KUBECONFIG")
		if found.keys, err = vault.ParseKeys(command.Environment("STRATA_VAULT_KEYS")); err != nil {
			return recordedVault{}, fmt.Errorf("state of %s: %w", command.URN, err)
		}
		return found, nil
	}
	return recordedVault{}, errors.New("the stack has no Vault of its own; a Vault used by address is unsealed by its owner")
}
