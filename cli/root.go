package cli

import "github.com/spf13/cobra"

// exitError carries a subcommand's exit code. If its error has an empty text, the subcommand has
// printed the message itself.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "strata",
		Short:         "Bare hosts to a working platform and back",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(subcommands()...)
	return root
}

// subcommands returns all subcommands.
func subcommands() []*cobra.Command {
	return []*cobra.Command{
		newInitCommand(),
		newPreflightCommand(),
		newCheckCommand(),
		newHealthCommand(),
		newDriftCommand(),
		newVersionCommand(),
		newKubeconfigCommand(),
		newTunnelCommand(),
		newSupportCommand(),
		newSnapshotCommand(),
		newRestoreCommand(),
		newRepairCommand(),
		newOrphansCommand(),
		newOwnerCommand(),
		newRecordCommand(),
		newTimelineCommand(),
		newFetchCommand(),
		newBundleCommand(),
		newImageCommand(),
		newTunnelServeCommand(),
		newGateCommand(),
		newVaultCommand(),
		newVerbCommand("hostkey", `Print a host's public key: {"address","port","timeout"} on stdin, `+
			`and "jump" or "proxyCommand" where these lead to it`),
	}
}
