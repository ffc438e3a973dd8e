// Package cli owns the command line of people: a file for each subject with its subcommands, each a
// thin layer over the package that does the work. The verbs that resources run are in the table of
// package actions. Nothing secret is ever an argument.
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

// Main is the whole main function of a program of Strata's components, and of Strata. Without an
// argument, Pulumi runs the program. With a subcommand it is the command line that the program's
// own resources and its users run.
func Main(program platform.Program) {
	if len(os.Args) > 1 {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	silenceKlog()
	program.Orphans, program.Connect, program.Past = endOrphans, connect, members.ReadPastHere
	program.State = stackstate.CommandLine(".").ReadEncrypted
	program.Tunnel, program.Verify, program.Warn = keepTunnel, stackhealth.Verify, warn
	pulumi.Run(program.Run)
}

// silenceKlog discards the log of Kubernetes' client library. The library returns its errors as
// well, and the commands report those.
var silenceKlog = sync.OnceFunc(func() { klog.SetLogger(klog.Logger{}) })

// Run runs the verb or the subcommand in args and returns the process's exit code: 0 done, 1
// failed, 2 wrong input.
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

// find returns the command of a text and its arguments: the verb that a resource runs, or a
// subcommand of people. It refuses the command of a resource that has another layout than this
// program, or none.
func find(args []string) (*cobra.Command, []string, error) {
	root, text := newRoot(), strings.Join(args, " ")
	layout, ofResource := os.LookupEnv(statelayout.Variable)
	isVerb := actions.Find(text) != nil
	if offered, _, err := root.Find(args); isVerb && !ofResource {
		ofResource = err != nil || !offered.Runnable() || offered.CommandPath() != "strata "+text
	}
	if !ofResource {
		return root, args, nil
	}
	if err := statelayout.CheckCommand(text, layout); err != nil || !isVerb {
		return root, args, err
	}
	return newVerbCommand(text, ""), []string{}, nil
}

// newVerbCommand returns the command of a verb, which may stand among the commands of people, too.
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
