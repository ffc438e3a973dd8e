package platform

import (
	"cmp"
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

// Gates returns the Specs of all gates that an update with cfg would register, in the program's
// order. It runs the program in this process, without Pulumi's engine or providers, and writes
// nothing. It reads no key, kubeconfig, manifest or artifact, because they do not change which
// gates exist.
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

// Registrations returns the resources that a first update with cfg and files would register, in the
// program's order. Like Gates, it runs the program in this process. The manifests must be in
// project; no key and no kubeconfig is read.
func Registrations(
	ctx context.Context, cfg *config.Config, files *artifacts.Set, project string,
) ([]dryrun.Registration, error) {
	manifests, err := components.ReadManifests(project, cfg)
	if err != nil {
		return nil, err
	}
	return registrations(ctx, cfg, files, manifests)
}

// registrations is Registrations with manifests that are already read.
func registrations(
	ctx context.Context, cfg *config.Config, files *artifacts.Set, manifests []components.Manifest,
) ([]dryrun.Registration, error) {
	var failed error // the program's error, of which err may be a consequence
	registered, err := dryrun.Run(ctx, config.Namespace, cfg.Stack,
		func(ctx *pulumi.Context) error {
			failed = Program{}.layers(ctx, Start{withoutKeys(*cfg), files}, unread, manifests)
			return failed
		})
	if err := cmp.Or(failed, err); err != nil {
		return nil, fmt.Errorf("resources of the configuration: %w", err)
	}
	return registered, nil
}

// unread replaces an existing cluster's kubeconfig by an unknown output, because no file is read.
var unread = pulumi.UnsafeUnknownOutput(nil).ApplyT(func(any) string { return "" }).(pulumi.StringOutput)

// withoutKeys returns a copy of cfg in which all private keys are /dev/null. Of the SSH settings of
// hosts, it keeps only user, port and host key.
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
