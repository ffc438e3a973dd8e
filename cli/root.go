// Package cli owns the command line: a file for each subject with its subcommands, each a thin
// layer over the package that does the work. Subcommands that resources run read their input as
// JSON on stdin and secrets from the environment; nothing secret is ever an argument.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// exitError carries a subcommand's exit code. Its text has been shown already when it is empty.
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

// Run runs the subcommand in args and returns the process's exit code: 0 done, 1 failed, 2 wrong
// input.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if text := err.Error(); text != "" {
		_, _ = fmt.Fprintln(stderr, "strata: "+text)
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return 1
}

// newRoot is the command tree.
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

// subcommands are all subcommands, for users first.
func subcommands() []*cobra.Command {
	return []*cobra.Command{
		newInitCommand(),
		newPreflightCommand(),
		newCheckCommand(),
		newHealthCommand(),
		newVersionCommand(),
		newKubeconfigCommand(),
		newTunnelCommand(),
		newSupportCommand(),
		newSnapshotCommand(),
		newRestoreCommand(),
		newRecoverCommand(),
		newStrandedCommand(),
		newHostCommand(),
		newLeftoversCommand(),
		newRecordCommand(),
		newTimelineCommand(),
		newFetchCommand(),
		newBundleCommand(),
		newImageCommand(),
		newMachineCommand(),
		newVMCommand(),
		newMachineGuardCommand(),
		newKeygenCommand(),
		newTunnelServeCommand(),
		newGateCommand(),
		newHostKeyCommand(),
		newPushCommand(),
		newHostRunCommand(),
		newAdmitCommand(),
		newMembersCommand(),
		newRotateTokenCommand(),
		newUpgradeCommand(),
		newCredentialCommand(),
		newCRDsCommand(),
		newClassCommand(),
		newReadCommand(),
		newNodesCommand(),
		newServerTimeCommand(),
		newVaultCommand(),
		newUnblockCommand(),
		newTeardownCommand(),
		newDiscardGuardCommand(),
		newClusterIdentityCommand(),
		newCanaryCommand(),
		newReissueCommand(),
	}
}
