package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/cluster/vault"
	"strata/health"
	"strata/internal/pulumi/self"
	"strata/internal/pulumi/stackstate"
)

// newVaultCommand is `strata vault`. The kubeconfig comes in STRATA_KUBECONFIG. Init prints Vault's
// keys, which become a secret of the state; configure takes them from STRATA_VAULT_KEYS and prints
// the root CA's certificate; unseal is for people.
func newVaultCommand() *cobra.Command {
	command := &cobra.Command{Use: "vault", Short: "Unseal the stack's Vault"}
	subcommand := func(name, about string, run func(context.Context, *vault.Session, vault.Input, *cobra.Command) error) {
		runs := fromStdin("vault "+name, func(ctx context.Context, cmd *cobra.Command, input vault.Input) error {
			session, err := vault.Open(ctx, input.Server, health.SecretsFrom(os.Getenv).Kubeconfig, cmd.ErrOrStderr())
			if err != nil {
				return fmt.Errorf("vault: %w", err)
			}
			defer session.Close()
			return run(ctx, session, input, cmd)
		})
		command.AddCommand(&cobra.Command{Use: name, Short: about, Args: cobra.NoArgs, Hidden: true, RunE: runs})
	}
	subcommand("init", "Initialise Vault (run by the program's own resources)", initVault)
	subcommand("configure", "Unseal and configure Vault (run by the program's own resources)", configureVault)
	command.AddCommand(newUnsealCommand())
	return command
}

func initVault(ctx context.Context, session *vault.Session, _ vault.Input, cmd *cobra.Command) error {
	var before *vault.Keys
	if text := previousOutput(); text != "" {
		keys, err := vault.ParseKeys(text)
		if err != nil {
			return &exitError{2, fmt.Errorf("previous output: %w", err)}
		}
		before = &keys
	}
	keys, err := session.Init(ctx, before)
	if err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(keys)
}

func configureVault(ctx context.Context, session *vault.Session, input vault.Input, cmd *cobra.Command) error {
	if input.Issuing == nil {
		return &exitError{2, errors.New("vault configure: issuing is missing")}
	}
	keys, err := vault.ParseKeys(os.Getenv(self.VaultKeys))
	if err != nil {
		return &exitError{2, fmt.Errorf("STRATA_VAULT_KEYS: %w", err)}
	}
	root, err := session.Configure(ctx, *input.Issuing, keys)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), root)
	return err
}

// unsealTimeout bounds the whole command; Vault itself answers within a second.
const unsealTimeout = time.Minute

// newUnsealCommand is `strata vault unseal`: a Vault whose Pod was restarted is sealed, and nothing
// but its keys opens it. They are read from the stack's state.
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
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Vault in Pod %s/%s is unsealed\n", recorded.Server.Namespace, recorded.Server.Pod)
			return err
		},
	}
	ofStack(command, &stack, &project)
	return command
}
