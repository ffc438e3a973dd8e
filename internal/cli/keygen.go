package cli

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"
)

// newKeygenCommand is `strata keygen`: a new ed25519 private key in OpenSSH's PEM on stdout. The resource that runs it marks
// its output secret.
func newKeygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "keygen",
		Short:  "Print a new SSH private key (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, private, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				return fmt.Errorf("generate key: %w", err)
			}
			block, err := ssh.MarshalPrivateKey(private, "strata")
			if err != nil {
				return fmt.Errorf("encode key: %w", err)
			}
			return pem.Encode(cmd.OutOrStdout(), block)
		},
	}
}
