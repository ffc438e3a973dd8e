package cli

import (
	"context"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/watchers"
	"strata/actions/k3s/members"
	"strata/actions/stack/adopt"
	"strata/actions/stack/recovery"
	"strata/cli/stackhealth"
	"strata/components"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
	"strata/platform"
)

// Main is the whole main function of a program of Strata's components, and of Strata. Without an
// argument, Pulumi runs the program. With a subcommand it is the command line that the program's
// own resources and its users run.
func Main(program platform.Program) {
	if len(os.Args) > 1 {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	program.Orphans, program.Connect, program.Past = endOrphans, connect, members.ReadPastHere
	program.State = stackstate.CommandLine(".").ReadEncrypted
	program.Tunnel, program.Verify, program.Warn = keepTunnel, stackhealth.Verify, warn
	pulumi.Run(program.Run)
}

func warn(ctx *pulumi.Context, message string) error { return ctx.Log.Warn(message, nil) }

// keepTunnel holds the tunnel until the program ends; it outlives it by a while, for the deletes
// that Pulumi does then.
func keepTunnel(ctx *pulumi.Context, spec tunnel.Spec, key []byte) error {
	return tunnel.Keep(ctx.Context(), spec, key, func(trouble string) { _ = ctx.Log.Warn(trouble, nil) }) // Log fails with the engine only
}

// endOrphans ends what a killed run of this project left running; Pulumi runs the program in the
// project's folder.
func endOrphans(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return recovery.EndOrphans(ctx, dir, os.Stderr)
}

// connect returns the hook that runs before each change in a cluster that Strata built.
func connect(kubeconfig string, servers []string) (components.Before, error) {
	cluster, err := adopt.NewCluster(kubeconfig)
	if err != nil {
		return nil, err
	}
	within, err := watchers.New(kubeconfig, servers)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, change components.Change, say func(string)) error {
		if change.ReplacesPods() {
			if err := within.Wait(ctx, say); err != nil {
				return err
			}
		}
		return cluster.BeforeChange(ctx, change.Token, change.Known, change.Inputs)
	}, nil
}
