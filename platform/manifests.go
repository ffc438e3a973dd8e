package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
)

// registerManifests registers the user's manifests. Each object waits until its kind is served and
// its webhook works.
func (a *above) registerManifests(
	ctx *pulumi.Context, start components.Layer, manifests []components.Manifest,
) error {
	if len(manifests) == 0 {
		return nil
	}
	_, err := components.NewManifests(ctx, "manifests", &components.ManifestsArgs{
		Layer: start, Objects: manifests, Kinds: a.kinds(),
	})
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
