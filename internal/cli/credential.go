package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"strata/health"
	"strata/internal/credential"
)

// newCredentialCommand is `strata credential`: it reads a credential.Request on stdin and what it printed the last time, which
// pulumi-command hands to an update, from PULUMI_COMMAND_STDOUT, and prints what the stack has from now on. That is secret.
func newCredentialCommand() *cobra.Command {
	return &cobra.Command{
		Use: "credential", Short: "Give the stack a client certificate of its own (run by the program's own resources)", Args: cobra.NoArgs, Hidden: true,
		RunE: fromStdin("credential", func(ctx context.Context, cmd *cobra.Command, request credential.Request) error {
			previous, err := credential.Parse(previousOutput())
			if err != nil {
				return &exitError{2, fmt.Errorf("credential: previous output: %w", err)}
			}
			hosts := &credential.SSH{Key: health.SecretsFrom(os.Getenv).SSHKey, Owner: request.Owner}
			issuer := credential.Issuer{Hosts: hosts, Now: time.Now, Log: cmd.ErrOrStderr()}
			issued, err := issuer.Issue(ctx, request, previous)
			if err != nil {
				return fmt.Errorf("layer k3s: certificate of the stack: %w", err)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(issued)
		}),
	}
}
