package cli

import (
	"github.com/spf13/cobra"

	"strata/internal/remote"
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
			key, err := remote.NewKey()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(key)
			return err
		},
	}
}
