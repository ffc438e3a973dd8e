package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
)

// registerManifests registers the user's own manifests. Each waits for the API, and for the server
// and the webhook of its kind.
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

// kinds returns the gates of the server and the webhook of each API group's kinds, if the platform
// has them.
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
			for _, group := range []string{gateways, "networking.k8s.io"} { // its webhook is asked about these too
				kinds[group] = append(kinds[group], a.apisix.Webhook)
			}
		}
	}
	if a.argocd != nil {
		kinds["argoproj.io"] = []pulumi.Resource{a.argocd.Rollout}
	}
	return kinds
}
