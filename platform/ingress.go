package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/components"
	"strata/config"
)

// ingress registers the ingress controllers and the CRDs that they read.
func (a *above) ingress(
	ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, cluster *components.Cluster, start []pulumi.Resource,
) error {
	if len(cfg.Ingress.Controllers) == 0 {
		return nil
	}
	bundles := map[string]string{components.BundleGatewayAPI: config.ArtifactGatewayCRDs}
	if cfg.Ingress.Uses(config.ControllerTraefik) {
		bundles[components.BundleTraefik] = config.ArtifactTraefikCRDs
	}
	if cfg.Ingress.Uses(config.ControllerAPISIX) {
		bundles[components.BundleAPISIX] = config.ArtifactAPISIXCRDs
	}
	var err error
	a.crds, err = components.NewCRDs(ctx, "crds", &components.CRDsArgs{
		Config: cfg.CRDs, Cluster: cluster, Artifacts: files, Timeout: cfg.Timeouts.CRDs, After: start, Bundles: bundles,
	})
	if err != nil {
		return err
	}
	// Not MetalLB's chart but its working pool, or the Service stays pending; not the CRDs' apply
	// but their being served, or Traefik starts without them and says nothing.
	working := []pulumi.Resource{a.metallb.Pool, a.crds.Served[components.BundleGatewayAPI], a.crds.Served[components.BundleTraefik]}
	if cfg.Ingress.Uses(config.ControllerAPISIX) {
		if err := a.throughAPISIX(ctx, cfg, files, cluster, start); err != nil {
			return err
		}
		// APISIX's webhook is asked about every class, Gateway and route of the cluster, Traefik's
		// as well.
		working = append(working, a.apisix.Webhook)
	}
	if !cfg.Ingress.Uses(config.ControllerTraefik) {
		return nil
	}
	a.traefik, err = components.NewTraefik(ctx, "traefik", &components.TraefikArgs{
		Config: cfg.Traefik, Domain: cfg.Ingress.Domain, Names: cfg.TraefikNames(), Challenges: cfg.HTTP01(), Cluster: cluster, CA: a.ca,
		Artifacts: files, Timeouts: cfg.Timeouts, After: working,
	})
	return err
}

// throughAPISIX registers APISIX, its demo, and what proves both.
func (a *above) throughAPISIX(
	ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set, cluster *components.Cluster, start []pulumi.Resource,
) error {
	var err error
	// The certificate waits for cert-manager's webhook and not for the issuer, and the data plane
	// not for the address pool: both heal.
	a.apisix, err = components.NewAPISIX(ctx, "apisix", &components.APISIXArgs{
		Config: cfg.APISIX, Domain: cfg.Ingress.Domain, PodNetwork: cfg.PodNetwork(), Full: cfg.Apps.Full(), Cluster: cluster,
		Signer: a.ca.Signer, Artifacts: files, Timeouts: cfg.Timeouts, After: start,
		Definitions:  []pulumi.Resource{a.crds.Served[components.BundleGatewayAPI], a.crds.Served[components.BundleAPISIX]},
		Certificates: a.manager.API, Pool: a.metallb.Pool,
	})
	if err != nil || !*cfg.Apps.Demo {
		return err
	}
	a.demo, err = components.NewDemo(ctx, "demo", &components.DemoArgs{
		Config: cfg.Apps, Domain: cfg.Ingress.Domain, Cluster: cluster, After: start, Admitted: []pulumi.Resource{a.apisix.Webhook},
	})
	if err != nil || !cfg.Apps.Full() {
		return err
	}
	_, err = components.NewValidation(ctx, "validation", &components.ValidationArgs{
		APISIX: a.apisix, Demo: a.demo, CASecret: a.ca.CASecret, Cluster: cluster, Timeouts: cfg.Timeouts,
	})
	return err
}
