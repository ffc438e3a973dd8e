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
	// Before the first resource, so that a file that cannot be read changes nothing.
	manifests, err := components.ReadManifests(".", cfg.Apps.Manifests)
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
	return layers(ctx, cfg, files, manifests)
}

// layers registers the layers. Order in the code is for people; only the gates in After order anything.
func layers(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, manifests []components.Manifest) error {
	k3s, err := files.One(config.ArtifactK3s)
	if err != nil {
		return err
	}
	hosts, err := components.NewHosts(ctx, "hosts", &components.HostsArgs{
		Config: cfg.Hosts, Stack: cfg.Stack, IPVS: cfg.K3s.UsesIPVS(), K3s: k3s.Version, VIP: cfg.K3s.VIP.IsValid(), Timeout: cfg.Timeouts.Host, InstallTimeout: cfg.Timeouts.Install, Artifacts: files,
	})
	if err != nil {
		return err
	}
	// Each node waits for its own host's gate only, which Hosts carries; so K3s has no After.
	cluster, err := components.NewK3s(ctx, "k3s", &components.K3sArgs{
		Config: cfg.K3s, Upgrade: cfg.Upgrade, Hosts: hosts, Artifacts: files, Timeouts: cfg.Timeouts,
	})
	if err != nil {
		return err
	}
	above, err := aboveCluster(ctx, cfg, files, cluster)
	if err != nil {
		return err
	}
	if err := above.applications(ctx, cfg, files, cluster); err != nil {
		return err
	}
	if err := above.own(ctx, cfg, cluster, manifests); err != nil {
		return err
	}
	export(ctx, cfg, files, cluster)
	above.export(ctx)
	return nil
}

// above are the layers inside the cluster; a nil one is not configured.
type above struct {
	metallb   *components.MetalLB
	manager   *components.CertManager
	crds      *components.CRDs
	authority *components.Authority
	vault     *components.Vault
	traefik   *components.Traefik
	apisix    *components.APISIX
	demo      *components.Demo
	argocd    *components.ArgoCD
	wave      *components.Wave
	// workloads are the user's applications by name.
	workloads map[string]*components.Workload
}

// aboveCluster registers the layers inside the cluster. MetalLB, the resource definitions and cert-manager start together, as
// soon as the API answers and no drain is to come: a gate must not pass on a Pod that the drain then moves. None waits for
// every node: Pods wait for nodes by themselves, and the gates look at what runs (docs/adr/0006).
func aboveCluster(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, cluster *components.K3s) (*above, error) {
	var a above
	var err error
	start := []*health.Gate{cluster.Upgraded}
	if *cfg.MetalLB.Enabled {
		a.metallb, err = components.NewMetalLB(ctx, "metallb", &components.MetalLBArgs{
			Config: cfg.MetalLB, Cluster: cluster.Cluster, Artifacts: files, Timeouts: cfg.Timeouts, After: start,
		})
		if err != nil {
			return nil, err
		}
	}
	if *cfg.CertManager.Enabled {
		a.manager, err = components.NewCertManager(ctx, "cert-manager", &components.CertManagerArgs{
			Config: cfg.CertManager, Cluster: cluster.Cluster, Artifacts: files, Timeouts: cfg.Timeouts, After: start,
		})
		if err != nil {
			return nil, err
		}
		if err := a.authorities(ctx, cfg, files, cluster); err != nil {
			return nil, err
		}
	}
	if err := a.ingress(ctx, cfg, files, cluster, start); err != nil {
		return nil, err
	}
	if *cfg.ArgoCD.Enabled {
		// Its release needs no ingress, only its route does (docs/adr/0008).
		a.argocd, err = components.NewArgoCD(ctx, "argocd", &components.ArgoCDArgs{
			Config: cfg.ArgoCD, Domain: cfg.Ingress.Domain, Cluster: cluster.Cluster, CASecret: a.authority.CASecret, Artifacts: files,
			Timeouts: cfg.Timeouts, After: start, Ingress: []*health.Gate{a.traefik.Programmed, a.traefik.Address},
		})
		if err != nil {
			return nil, err
		}
	}
	return &a, nil
}

// authorities registers who signs: a root of the stack's own, or Vault. The stack's own Vault needs the root as well, for its own
// certificate; a Vault by its address does not.
func (a *above) authorities(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, cluster *components.K3s) error {
	var err error
	// An issuer before the webhook is refused: connection refused, then x509.
	signing := []*health.Gate{a.manager.API}
	if cfg.CertManager.Issuer == config.IssuerSelfSigned || *cfg.Vault.Enabled {
		a.authority, err = components.NewAuthority(ctx, "authority", &components.AuthorityArgs{
			Config: cfg.CertManager, Cluster: cluster.Cluster, Timeouts: cfg.Timeouts, After: signing,
		})
		if err != nil {
			return err
		}
	}
	if *cfg.Vault.Enabled {
		a.vault, err = components.NewVault(ctx, "vault", &components.VaultArgs{
			Config: cfg.Vault, Authority: a.authority, Cluster: cluster.Cluster, Artifacts: files, Timeouts: cfg.Timeouts, After: signing,
			Issuing: components.VaultIssuing(cfg.CertManager.CommonName, cfg.Ingress.Domain, a.manager.BoundTokens),
		})
		if err != nil {
			return err
		}
		signing = append(signing, a.vault.Ready)
	}
	if cfg.CertManager.Issuer == config.IssuerVault {
		a.authority, err = components.NewVaultAuthority(ctx, "vault-authority", &components.VaultAuthorityArgs{
			Config: cfg.CertManager.Vault, Domain: cfg.Ingress.Domain, BoundTokens: a.manager.BoundTokens,
			Cluster: cluster.Cluster, Timeouts: cfg.Timeouts, After: signing,
		})
	}
	return err
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
		if file.Name == config.ArtifactK3sImages {
			continue // as many as there are archives; each is of what the others name
		}
		versions[file.Name] = pulumi.String(file.Version)
	}
	ctx.Export("kubeconfig", cluster.Kubeconfig)
	ctx.Export("apiEndpoint", pulumi.String(cluster.Endpoint))
	ctx.Export("nodes", nodes)
	ctx.Export("loadBalancerRange", pulumi.ToStringArray(cfg.MetalLB.Addresses))
	ctx.Export("versions", versions)
}
