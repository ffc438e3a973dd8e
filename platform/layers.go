package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/config"
)

// inCluster registers the layers, applications and manifests in the cluster. start has the
// arguments that they share.
func inCluster(
	ctx *pulumi.Context, cfg *config.Config, start components.Layer, manifests []components.Manifest,
) (*above, error) {
	above, err := aboveCluster(ctx, cfg, start)
	if err != nil {
		return nil, err
	}
	if err := above.applications(ctx, cfg, start); err != nil {
		return nil, err
	}
	return above, above.registerManifests(ctx, start, manifests)
}

// above has the layers inside the cluster. A layer that is not configured is nil.
type above struct {
	metallb *components.MetalLB
	manager *components.CertManager
	crds    *components.CRDs
	ca      *components.CA
	vault   *components.Vault
	traefik *components.Traefik
	apisix  *components.APISIX
	demo    *components.Demo
	argocd  *components.ArgoCD
	wave    *components.Wave
	// workloads are the user's workloads by name.
	workloads map[string]*components.Workload
}

// aboveCluster registers the layers inside the cluster. MetalLB, the CRDs and cert-manager start in
// parallel once the API answers and no drain follows: otherwise a gate could pass for a Pod that is
// then drained. They do not wait for all nodes, because the scheduler waits for nodes, and gates
// check the running Pods (docs/adr/0006).
func aboveCluster(ctx *pulumi.Context, cfg *config.Config, start components.Layer) (*above, error) {
	var a above
	var err error
	if *cfg.MetalLB.Enabled {
		a.metallb, err = components.NewMetalLB(ctx, "metallb",
			&components.MetalLBArgs{Layer: start, Config: cfg.MetalLB})
		if err != nil {
			return nil, err
		}
	}
	if *cfg.CertManager.Enabled {
		a.manager, err = components.NewCertManager(ctx, "cert-manager", &components.CertManagerArgs{
			Layer: start, Config: cfg.CertManager, KeepCRDs: *cfg.CRDs.Keep,
		})
		if err != nil {
			return nil, err
		}
		if err := a.issuers(ctx, cfg, start); err != nil {
			return nil, err
		}
	}
	if err := a.ingress(ctx, cfg, start); err != nil {
		return nil, err
	}
	if *cfg.ArgoCD.Enabled {
		// Argo CD's release does not wait for Traefik; only its route does (docs/adr/0008).
		a.argocd, err = components.NewArgoCD(ctx, "argocd", &components.ArgoCDArgs{
			Layer: start, Config: cfg.ArgoCD, Domain: cfg.Ingress.Domain, KeepCRDs: *cfg.CRDs.Keep,
			CASecret: a.ca.CASecret,
			Ingress:  []pulumi.Resource{a.traefik.Programmed, a.traefik.Address}, IngressValues: a.traefik.Values,
		})
		if err != nil {
			return nil, err
		}
	}
	return &a, nil
}

// issuers registers the CA that signs certificates: a self-signed root, Vault, or an ACME server.
// The stack's own Vault also needs the self-signed root, which signs Vault's certificate.
func (a *above) issuers(ctx *pulumi.Context, cfg *config.Config, start components.Layer) error {
	var err error
	// Issuers wait for cert-manager's webhook, because API servers refuse issuers without it.
	signing := start.WithDependencies(a.manager.API)
	if cfg.CertManager.Issuer == config.IssuerSelfSigned || *cfg.Vault.Enabled {
		a.ca, err = components.NewCA(ctx, "ca", &components.CAArgs{Layer: signing, Config: cfg.CertManager})
		if err != nil {
			return err
		}
	}
	if *cfg.Vault.Enabled {
		a.vault, err = components.NewVault(ctx, "vault", &components.VaultArgs{
			Layer: signing, Config: cfg.Vault, CA: a.ca,
			Issuing: components.VaultIssuing(cfg.CertManager, cfg.Ingress.Domain, a.manager.BoundTokens),
		})
		if err != nil {
			return err
		}
		signing = signing.WithDependencies(a.manager.API, a.vault.Ready)
	}
	if cfg.CertManager.Issuer == config.IssuerVault {
		a.ca, err = components.NewVaultCA(ctx, "vault-ca", &components.VaultCAArgs{
			Layer: signing, Config: cfg.CertManager.Vault, Domain: cfg.Ingress.Domain,
			BoundTokens: a.manager.BoundTokens,
		})
	}
	if cfg.CertManager.Issuer == config.IssuerACME {
		a.ca, err = components.NewACMECA(ctx, "acme-ca", &components.ACMECAArgs{
			Layer: start.WithDependencies(a.manager.API), Config: cfg.CertManager.ACME,
		})
	}
	return err
}

// kinds returns, for each API group that a layer provides, the gates that pass once its kinds are
// served and its webhook works.
func (a *above) kinds() map[string][]pulumi.Resource {
	kinds := map[string][]pulumi.Resource{}
	if a.metallb != nil {
		kinds["metallb.io"] = []pulumi.Resource{a.metallb.Webhook}
	}
	if a.manager != nil {
		kinds["cert-manager.io"] = []pulumi.Resource{a.manager.API}
	}
	if a.crds != nil {
		const gateways = "gateway.networking.k8s.io"
		kinds[gateways] = []pulumi.Resource{a.crds.Served[components.BundleGatewayAPI]}
		if a.traefik != nil {
			kinds["traefik.io"] = []pulumi.Resource{a.crds.Served[components.BundleTraefik]}
		}
		if a.apisix != nil {
			kinds["apisix.apache.org"] = []pulumi.Resource{a.apisix.Webhook}
			// API servers call APISIX's admission webhook for objects of these two groups as well.
			for _, group := range []string{gateways, "networking.k8s.io"} {
				kinds[group] = append(kinds[group], a.apisix.Webhook)
			}
		}
	}
	if a.argocd != nil {
		kinds["argoproj.io"] = []pulumi.Resource{a.argocd.Rollout}
	}
	return kinds
}
