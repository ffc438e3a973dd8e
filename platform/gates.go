package platform

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
	"strata/health"
	"strata/internal/pulumi/dryrun"
)

// Gates returns the gates that a stack of the configuration has after a successful update, in the
// program's order. The layers are registered in this process: no engine or provider runs, and
// nothing is written. No key, kubeconfig, manifest or artifact is read, since none of them decides
// which gates exist.
func Gates(ctx context.Context, cfg *config.Config) ([]health.Spec, error) {
	var seen components.RegisteredGates
	_, err := dryrun.Run(seen.NewContext(ctx), config.Namespace, cfg.Stack,
		func(ctx *pulumi.Context) error {
			return Program{}.layers(ctx, Start{withoutKeys(*cfg), artifacts.NewPinnedSet(cfg)},
				unread, nil)
		})
	if err != nil {
		return nil, fmt.Errorf("gates of the configuration: %w", err)
	}
	return seen.Specs, nil
}

// Registrations returns the resources of the configuration's first update with its artifacts, in
// the program's order, registered in this process. Its manifests have to be in the project; no key
// and no kubeconfig is read.
func Registrations(
	ctx context.Context, cfg *config.Config, files *artifacts.Set, project string,
) ([]dryrun.Registration, error) {
	manifests, err := components.ReadManifests(project, cfg.Apps.Manifests)
	if err != nil {
		return nil, err
	}
	registered, err := dryrun.Run(ctx, config.Namespace, cfg.Stack,
		func(ctx *pulumi.Context) error {
			return Program{}.layers(ctx, Start{withoutKeys(*cfg), files}, unread, manifests)
		})
	if err != nil {
		return nil, fmt.Errorf("resources of the configuration: %w", err)
	}
	return registered, nil
}

// unread stands for the kubeconfig of an existing cluster, which is not read here.
var unread = pulumi.UnsafeUnknownOutput(nil).ApplyT(func(any) string { return "" }).(pulumi.StringOutput)

// withoutKeys returns the configuration with empty private keys. Its hosts keep user, port and host
// key, and read no other file about the login.
func withoutKeys(cfg config.Config) *config.Config {
	cfg.Hosts.Nodes = slices.Clone(cfg.Hosts.Nodes)
	for i := range cfg.Hosts.Nodes {
		had := cfg.Hosts.Nodes[i].SSH
		cfg.Hosts.Nodes[i].SSH = config.SSH{User: had.User, Port: had.Port, HostKey: had.HostKey,
			KeyFile: os.DevNull}
	}
	cfg.Hosts.SSH.DynamicForward = 0
	cfg.Hosts.Hypervisor.KeyFile = os.DevNull
	return &cfg
}
