package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/config"
)

// ingress registers the configured ingress controllers and their CRDs.
func (a *above) ingress(ctx *pulumi.Context, cfg *config.Config, start components.Layer) error {
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
	a.crds, err = components.NewCRDs(ctx, "crds",
		&components.CRDsArgs{Layer: start, Config: cfg.CRDs, Bundles: bundles})
	if err != nil {
		return err
	}
	// Wait for MetalLB's pool to work, not only for its chart: otherwise the Service stays pending.
	// Wait until the CRDs are served, not only applied: otherwise Traefik starts without them and
	// logs nothing.
	working := []pulumi.Resource{a.metallb.Pool, a.crds.Served[components.BundleGatewayAPI],
		a.crds.Served[components.BundleTraefik]}
	if cfg.Ingress.Uses(config.ControllerAPISIX) {
		if err := a.throughAPISIX(ctx, cfg, start); err != nil {
			return err
		}
		// API servers call APISIX's admission webhook for every class, Gateway and route, including
		// those of Traefik.
		working = append(working, a.apisix.Webhook)
	}
	if !cfg.Ingress.Uses(config.ControllerTraefik) {
		return nil
	}
	a.traefik, err = components.NewTraefik(ctx, "traefik", &components.TraefikArgs{
		Layer: start.WithDependencies(working...), Config: cfg.Traefik, Domain: cfg.Ingress.Domain,
		Names:      cfg.TraefikNames(),
		Challenges: cfg.HTTP01(), CA: a.ca,
	})
	return err
}

// throughAPISIX registers APISIX and, if configured, its demo and the demo's validation.
func (a *above) throughAPISIX(
	ctx *pulumi.Context, cfg *config.Config, start components.Layer,
) error {
	var err error
	// The certificate does not wait for its issuer, nor the data plane for the address pool: both
	// become ready by themselves once these exist.
	a.apisix, err = components.NewAPISIX(ctx, "apisix", &components.APISIXArgs{
		Layer: start, Config: cfg.APISIX, Domain: cfg.Ingress.Domain, PodNetwork: cfg.PodNetwork(),
		Full:   cfg.Apps.Full(),
		Signer: a.ca.Signer,
		Definitions: []pulumi.Resource{a.crds.Served[components.BundleGatewayAPI],
			a.crds.Served[components.BundleAPISIX]},
		Certificates: a.manager.API, Pool: a.metallb.Pool,
	})
	if err != nil || !cfg.Apps.Demo {
		return err
	}
	a.demo, err = components.NewDemo(ctx, "demo", &components.DemoArgs{
		Layer: start, Config: cfg.Apps, Domain: cfg.Ingress.Domain,
		Admitted: []pulumi.Resource{a.apisix.Webhook},
	})
	if err != nil || !cfg.Apps.Full() {
		return err
	}
	_, err = components.NewValidation(ctx, "validation", &components.ValidationArgs{
		APISIX: a.apisix, Demo: a.demo, CASecret: a.ca.CASecret, Cluster: start.Cluster,
		Timeouts: cfg.Timeouts,
	})
	return err
}
