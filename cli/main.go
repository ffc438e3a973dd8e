// Package cli owns the command line for users. Each file has the subcommands of one area, which
// only call the package that does the work. Verbs, which are subcommands that only resources run,
// are in package actions. No argument is ever a secret.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"strata/actions"
	"strata/actions/k3s/members"
	"strata/actions/verb"
	"strata/cli/stackhealth"
	"strata/internal/pulumi/stackstate"
	"strata/internal/pulumi/statelayout"
	"strata/platform"
)

// Main runs Strata, or another program that uses its components. Without an argument, it runs the
// Pulumi program. With arguments, it runs a subcommand, for a user or for one of the program's own
// resources.
func Main(program platform.Program) {
	if len(os.Args) > 1 {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	silenceKlog()
	program.Orphans, program.Connect, program.Past = endOrphans, connect, members.ReadPastHere
	program.State = stackstate.CommandLine(".").ReadEncrypted
	program.Tunnel, program.Verify, program.Warn = keepTunnel, stackhealth.Verify, warn
	program.Drift = findDrift
	pulumi.Run(program.Run)
}

// silenceKlog discards the log of Kubernetes' client library. The library also returns its errors,
// and the commands report those.
var silenceKlog = sync.OnceFunc(func() { klog.SetLogger(klog.Logger{}) })

// Run runs the verb or the subcommand in args, and returns the process's exit code: 0 for success,
// 1 for a failure, 2 for wrong input.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	silenceKlog()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	command, args, err := find(args)
	if err == nil {
		command.SetArgs(args)
		command.SetIn(stdin)
		command.SetOut(stdout)
		command.SetErr(stderr)
		err = command.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	if text := err.Error(); text != "" {
		_, _ = fmt.Fprintln(stderr, "strata: "+text)
	}
	var exit *exitError
	var input *verb.InputError
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &input):
		return 2
	}
	return 1
}

// find returns the command for args and the arguments that are left for it. The command is a verb
// that a resource runs, or a subcommand for users. find refuses a resource's command that has no
// state layout, or another layout than this program's.
func find(args []string) (*cobra.Command, []string, error) {
	root, text := newRoot(), strings.Join(args, " ")
	layout, ofResource := os.LookupEnv(statelayout.Variable)
	isVerb := actions.Find(text) != nil
	if offered, _, err := root.Find(args); isVerb && !ofResource {
		ofResource = err != nil || offered.HasSubCommands() || offered.CommandPath() != "strata "+text
	}
	if !ofResource {
		return root, args, nil
	}
	if err := statelayout.CheckCommand(text, layout); err != nil || !isVerb {
		return root, args, err
	}
	return newVerbCommand(text, ""), []string{}, nil
}

// newVerbCommand returns a command that runs a verb. It can also be part of the users' command
// tree.
func newVerbCommand(text, short string) *cobra.Command {
	run := func(cmd *cobra.Command, _ []string) error {
		return actions.Find(text).Run(cmd.Context(), verb.Call{
			Text: text, Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(),
			Stderr: cmd.ErrOrStderr(),
		})
	}
	return &cobra.Command{
		Use: text[strings.LastIndex(text, " ")+1:], Short: short, Args: cobra.NoArgs, RunE: run,
		SilenceUsage: true, SilenceErrors: true,
	}
}
