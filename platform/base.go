package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/cluster/kubeconfig"
	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// base has the cluster in which the layers are installed: one that is built on hosts, or an
// existing one.
type base struct {
	cluster *components.Cluster
	// reader is the kubeconfig of a read-only user; nil on an existing cluster.
	reader *pulumi.StringOutput
	// nodes is the table of the cluster's nodes: name, role, address.
	nodes pulumi.Input
}

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

// newBase registers the cluster: it builds one, or connects to an existing one. Layers are the same
// on both, except that gates cannot log in to the nodes of an existing cluster.
func newBase(
	ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, target pulumi.StringInput,
	p Program,
) (*base, error) {
	if cfg.OnExistingCluster() {
		existing, err := components.NewExistingCluster(ctx, "cluster",
			&components.ExistingClusterArgs{
				Kubeconfig: target, Timeouts: cfg.Timeouts, Artifacts: files,
			})
		if err != nil {
			return nil, err
		}
		existing.Cluster.NetworkPolicies = cfg.Cluster.NetworkPolicies
		return &base{cluster: existing.Cluster, nodes: existing.Nodes}, nil
	}
	k3s, err := files.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	hosts, err := components.NewHosts(ctx, "hosts", &components.HostsArgs{
		Cluster: "k3s", TokenGeneration: cfg.K3s.TokenGeneration, Fixed: cfg.K3s.CriticalValues(),
		Config: cfg.Hosts, Stack: cfg.Stack, IPVS: cfg.K3s.UsesIPVS(), K3s: k3s.Version,
		VIP:      cfg.K3s.VIP.IsValid(),
		CgroupV1: cfg.K3s.RolesOnCgroupV1(), Timeout: cfg.Timeouts.Host,
		InstallTimeout: cfg.Timeouts.Install, Artifacts: files,
	})
	if err != nil {
		return nil, err
	}
	// K3s has no After, because each node waits for the gate of its own host, which is in Hosts.
	built, err := components.NewK3s(ctx, "k3s", &components.K3sArgs{
		Config: cfg.K3s, Subnet: cfg.Hosts.Subnet, Upgrade: cfg.Upgrade, Hosts: hosts,
		Artifacts: files, Timeouts: cfg.Timeouts,
		Connect: p.Connect, Past: p.Past,
	})
	if err != nil {
		return nil, err
	}
	built.Cluster.NetworkPolicies = *cfg.K3s.NetworkPolicies
	return &base{cluster: built.Cluster, reader: &built.ReaderKubeconfig,
		nodes: configuredNodes(cfg)}, nil
}

// guard registers the first guard, which fails if the run would delete objects that other programs
// created in the cluster. Every layer waits for it.
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
			continue // there may be several archives, with the versions of the other artifacts
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
		// Users need the tunnel for the kubeconfig and the addresses. An update opens one only for
		// itself.
		ctx.Export("tunnel", pulumi.Sprintf(
			"strata tunnel -s %s; then kubectl with output kubeconfig, and curl --proxy "+
				"socks5h://127.0.0.1:%d", cfg.Stack, port))
	}
}
