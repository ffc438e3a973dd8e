package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"strata/cli/version"
)

// newVersionCommand returns `strata version`.
func newVersionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Say which program this is, and which releases of K3s and the charts it was made for",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := version.Read(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(info)
			}
			return info.Write(cmd.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return command
}
