package platform

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// export publishes where the platform's own services are, and what trusts them.
func (a *above) export(ctx *pulumi.Context) {
	urls := pulumi.StringMap{}
	if a.traefik != nil && a.traefik.Dashboard != nil {
		urls["traefik"] = pulumi.String(a.traefik.DashboardURL)
		ctx.Export("traefikDashboardPassword", a.traefik.DashboardPassword)
	}
	if a.argocd != nil {
		urls["argocd"] = pulumi.String(a.argocd.URL)
		if a.argocd.Generated {
			ctx.Export("argocdAdminPassword", a.argocd.AdminPassword)
		}
	}
	a.exportDemo(ctx, urls)
	for name, routes := range a.urls {
		if len(routes) > 0 {
			urls[name] = pulumi.String(routes[0])
		}
	}
	ctx.Export("urls", urls)
	if a.authority != nil {
		ctx.Export("caCertificate", a.authority.Certificate)
	}
	if a.vault != nil {
		ctx.Export("vaultKeys", a.vault.Keys)
	}
	if a.traefik != nil {
		ctx.Export("ingressAddress", a.traefik.IP)
	}
}

// exportDemo publishes where APISIX and its demo are, and what opens it.
func (a *above) exportDemo(ctx *pulumi.Context, urls pulumi.StringMap) {
	if a.apisix != nil && a.apisix.HasIP {
		ctx.Export("apisixAddress", a.apisix.IP)
	}
	if a.demo != nil {
		maps.Copy(urls, pulumi.ToStringMap(a.demo.URLs))
		ctx.Export("demoKey", a.demo.Key)
		ctx.Export("demoPassword", a.demo.Password)
	}
}
