// Strata brings bare hosts to a working platform and back. Without an argument it is the Pulumi program, with a subcommand it is
// the command line that the program's own resources and its users run.
package main

import (
	"context"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/internal/adopt"
	"strata/internal/cli"
	"strata/internal/recovery"
	"strata/platform"
)

func main() {
	if len(os.Args) > 1 {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	pulumi.Run(platform.Program{Orphans: endOrphans, Adopt: connect, Warn: warn}.Run)
}

func warn(ctx *pulumi.Context, message string) error { return ctx.Log.Warn(message, nil) }

// endOrphans ends what a killed run of this project left running; Pulumi runs the program in the project's folder.
func endOrphans(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return recovery.EndOrphans(ctx, dir, os.Stderr)
}

func connect(kubeconfig string) (components.Adopt, error) {
	cluster, err := adopt.NewCluster(kubeconfig)
	if err != nil {
		return nil, err
	}
	return cluster.Before, nil
}
