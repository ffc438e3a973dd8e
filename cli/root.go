package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{2, err} })
	refuseWrongUse(root)
	return root
}

// refuseWrongUse makes wrong arguments of a command and of its subcommands exit with 2, because 1
// is the exit code of a finding. For an unknown subcommand of a subcommand, cobra would print the
// help and exit with 0.
func refuseWrongUse(command *cobra.Command) {
	check := command.Args
	if command.HasSubCommands() {
		check = checkSubcommand
		command.RunE = func(*cobra.Command, []string) error { return command.Help() }
		command.SuggestionsMinimumDistance = 2
	}
	command.Args = func(_ *cobra.Command, args []string) error {
		if err := check(command, args); err != nil {
			return &exitError{2, err}
		}
		return nil
	}
	for _, subcommand := range command.Commands() {
		refuseWrongUse(subcommand)
	}
}

// checkSubcommand refuses the arguments of a command that has only subcommands.
func checkSubcommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	fix := "see: " + command.CommandPath() + " --help"
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		fix = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q; %s", args[0], command.CommandPath(), fix)
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
