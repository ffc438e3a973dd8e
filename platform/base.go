package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kubeconfig"
	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// existingTarget returns the kubeconfig of the context that the stack names. It returns nil if the
// stack builds its own cluster.
func existingTarget(cfg *config.Config) (pulumi.StringInput, error) {
	if !cfg.OnExistingCluster() {
		return nil, nil
	}
	target, err := kubeconfig.ForStack(cfg, ".")
	if err != nil {
		return nil, fmt.Errorf("configuration of stack %s:\n%w", cfg.Stack, err)
	}
	return pulumi.String(target.Text), nil
}

// guard registers the first guard, and makes every layer wait for it. The guard fails if the run
// would delete objects that other programs created in the cluster.
func (b *base) guard(
	ctx *pulumi.Context, cfg *config.Config, warn func(*pulumi.Context, string) error,
) (*components.Teardown, error) {
	name := "k3s-teardown"
	if cfg.OnExistingCluster() {
		name = "cluster-teardown"
	}
	return components.NewTeardown(ctx, name,
		&components.TeardownArgs{Config: cfg, Cluster: b.cluster, Warn: warn})
}

// configuredNodes returns name, role and address of each configured node.
func configuredNodes(cfg *config.Config) pulumi.Array {
	nodes := pulumi.Array{}
	for _, node := range cfg.Hosts.Nodes {
		nodes = append(nodes, pulumi.StringMap{
			"name": pulumi.String(node.Name), "role": pulumi.String(string(node.Role)),
			"address": pulumi.String(node.Address.String()),
		})
	}
	return nodes
}

// export exports the stack outputs of the cluster.
func (b *base) export(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) {
	versions := pulumi.StringMap{}
	for _, file := range files.Artifacts() {
		if file.Name == config.ArtifactK3sImages {
			continue // several archives may have this name, each at the version of another artifact
		}
		versions[file.Name] = pulumi.String(file.Version)
	}
	ctx.Export("kubeconfig", b.cluster.Kubeconfig)
	if b.reader != nil {
		ctx.Export("readerKubeconfig", *b.reader)
	}
	ctx.Export("apiEndpoint", b.cluster.Endpoint)
	ctx.Export("nodes", b.nodes)
	ctx.Export("loadBalancerRange", pulumi.ToStringArray(cfg.MetalLB.Addresses))
	ctx.Export("versions", versions)
	ctx.Export("artifacts", pulumi.String(files.Kind()))
	if port := cfg.Hosts.SSH.DynamicForward; port != 0 {
		// Users need a tunnel to reach the API and the addresses: an update closes its own.
		ctx.Export("tunnel", pulumi.Sprintf(
			"strata tunnel -s %s; then kubectl with output kubeconfig, and curl --proxy "+
				"socks5h://127.0.0.1:%d", cfg.Stack, port))
	}
}
