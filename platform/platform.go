// Package platform is the Pulumi program: the layers in order, each with the reason for its edges. It owns no resource of its
// own and knows no detail of a layer.
package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/config"
	"strata/health"
	"strata/internal/artifacts"
	"strata/internal/self"
)

// Run registers the platform of the stack that Pulumi runs.
func Run(ctx *pulumi.Context) error {
	cfg, err := config.FromPulumi(ctx)
	if err != nil {
		return err
	}
	// Gates run this very program, so it must be in its place before the first of them.
	if err := self.Install("."); err != nil {
		return fmt.Errorf("install the program for its gates: %w", err)
	}
	files, err := artifacts.Resolve(cfg, ".")
	if err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	materialise := files.Materialise
	if ctx.DryRun() {
		materialise = files.MaterialiseCharts // a preview downloads nothing
	}
	if err := materialise(ctx.Context()); err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	return layers(ctx, cfg, files)
}

// layers registers the layers. Order in the code is for people; only the gates in After order anything.
func layers(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) error {
	hosts, err := components.NewHosts(ctx, "hosts", &components.HostsArgs{
		Config: cfg.Hosts, Stack: cfg.Stack, IPVS: cfg.K3s.UsesIPVS(), Timeout: cfg.Timeouts.Host, Artifacts: files,
	})
	if err != nil {
		return err
	}
	// Each node waits for its own host's gate only, which Hosts carries; so K3s has no After.
	cluster, err := components.NewK3s(ctx, "k3s", &components.K3sArgs{
		Config: cfg.K3s, Hosts: hosts, Artifacts: files, Timeouts: cfg.Timeouts,
	})
	if err != nil {
		return err
	}
	if *cfg.MetalLB.Enabled {
		// The release needs an API server that answers, which Members waits for, and not every node: its Pods wait for nodes by
		// themselves, and the webhook and pool gates behind it look at what runs (docs/adr/0006). Leaving nodes are drained
		// first, or the webhook gate would pass on a Pod that the drain then moves.
		_, err = components.NewMetalLB(ctx, "metallb", &components.MetalLBArgs{
			Config: cfg.MetalLB, Cluster: cluster.Cluster, Artifacts: files, Timeouts: cfg.Timeouts,
			After: []*health.Gate{cluster.Members},
		})
		if err != nil {
			return err
		}
	}
	export(ctx, cfg, files, cluster)
	return nil
}

// export publishes what a user needs next.
func export(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, cluster *components.K3s) {
	nodes := pulumi.Array{}
	for _, node := range cfg.Hosts.Nodes {
		nodes = append(nodes, pulumi.StringMap{
			"name": pulumi.String(node.Name), "role": pulumi.String(string(node.Role)), "address": pulumi.String(node.Address.String()),
		})
	}
	versions := pulumi.StringMap{}
	for _, file := range files.Artifacts() {
		versions[file.Name] = pulumi.String(file.Version)
	}
	ctx.Export("kubeconfig", cluster.Kubeconfig)
	ctx.Export("apiEndpoint", pulumi.String(cluster.Endpoint))
	ctx.Export("nodes", nodes)
	ctx.Export("loadBalancerRange", pulumi.ToStringArray(cfg.MetalLB.Addresses))
	ctx.Export("versions", versions)
}
