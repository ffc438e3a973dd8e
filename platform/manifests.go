package platform

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/components"
	"strata/config"
	"strata/health"
)

// own registers the user's own manifests. Each waits for the API, and for whoever serves and admits its kind.
func (a *above) own(ctx *pulumi.Context, cfg *config.Config, cluster *components.Cluster, manifests []components.Manifest) error {
	if len(manifests) == 0 {
		return nil
	}
	_, err := components.NewManifests(ctx, "manifests", &components.ManifestsArgs{
		Objects: manifests, Cluster: cluster, Timeout: cfg.Timeouts.Apply, After: []*health.Gate{cluster.Settled}, Kinds: a.kinds(),
	})
	return err
}

// kinds are the gates of who serves and admits the kinds of an API group, as far as the platform has them.
func (a *above) kinds() map[string][]*health.Gate {
	kinds := map[string][]*health.Gate{}
	if a.metallb != nil {
		kinds["metallb.io"] = []*health.Gate{a.metallb.Webhook}
	}
	if a.manager != nil {
		kinds["cert-manager.io"] = []*health.Gate{a.manager.API}
	}
	if a.crds != nil {
		const gateways = "gateway.networking.k8s.io"
		kinds[gateways] = []*health.Gate{a.crds.Served[components.BundleGatewayAPI]}
		if a.traefik != nil {
			kinds["traefik.io"] = []*health.Gate{a.crds.Served[components.BundleTraefik]}
		}
		if a.apisix != nil {
			kinds["apisix.apache.org"] = []*health.Gate{a.apisix.Webhook}
			for _, group := range []string{gateways, "networking.k8s.io"} { // its webhook is asked about these too
				kinds[group] = append(kinds[group], a.apisix.Webhook)
			}
		}
	}
	if a.argocd != nil {
		kinds["argoproj.io"] = []*health.Gate{a.argocd.Rollout}
	}
	return kinds
}
