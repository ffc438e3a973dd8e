package cli

import (
	"context"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/watchers"
	"strata/actions/stack/adopt"
	"strata/actions/stack/recovery"
	"strata/components"
	"strata/internal/ssh/tunnel"
)

func warn(ctx *pulumi.Context, message string) error { return ctx.Log.Warn(message, nil) }

// keepTunnel keeps the tunnel open until the program exits. After that, the tunnel's process runs
// until it has been idle for tunnel.Idle, so that Pulumi can still delete objects through the
// tunnel.
func keepTunnel(ctx *pulumi.Context, spec tunnel.Spec, key []byte) error {
	// Ignore Log's error: it only fails if the connection to Pulumi's engine fails.
	return tunnel.Keep(ctx.Context(), spec, key, func(trouble string) { _ = ctx.Log.Warn(trouble, nil) })
}

// endOrphans kills the processes that an interrupted run of this project left behind. The working
// directory is the project's folder, because Pulumi runs the program there.
func endOrphans(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return recovery.EndOrphans(ctx, dir, os.Stderr)
}

// connect returns the hook that runs before each create and update in a cluster that Strata built.
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
