package platform

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// export exports the stack outputs of the layers: URLs, addresses and credentials of services and
// workloads, and the CA certificate that clients must trust.
func (a *above) export(ctx *pulumi.Context) {
	urls, addresses := pulumi.StringMap{}, pulumi.StringMap{}
	at := func(name, url string, address pulumi.StringInput) {
		urls[name] = pulumi.String(url)
		if address != nil {
			addresses[name] = address
		}
	}
	if a.traefik != nil {
		ctx.Export("ingressAddress", a.traefik.IP)
		if a.traefik.Dashboard != nil {
			at("traefik", a.traefik.DashboardURL, a.traefik.IP)
			ctx.Export("traefikDashboardPassword", a.traefik.DashboardPassword)
		}
	}
	if a.argocd != nil {
		at("argocd", a.argocd.URL, a.traefik.IP) // its route goes through Traefik
		if a.argocd.Generated {
			ctx.Export("argocdAdminPassword", a.argocd.AdminPassword)
		}
	}
	a.exportDemo(ctx, at)
	for name, workload := range a.workloads {
		if len(workload.URLs) > 0 {
			at(name, workload.URLs[0], workload.Address)
		}
	}
	// A client without DNS for a URL can connect to the address under the same key.
	ctx.Export("urls", urls)
	ctx.Export("addresses", addresses)
	if a.ca != nil && !a.ca.Public {
		ctx.Export("caCertificate", a.ca.Certificate)
	}
	if a.vault != nil {
		ctx.Export("vaultKeys", a.vault.Keys)
	}
}

// exportDemo exports APISIX's address, and the demo's URLs and credentials.
func (a *above) exportDemo(
	ctx *pulumi.Context, at func(name, url string, address pulumi.StringInput),
) {
	var address pulumi.StringInput
	if a.apisix != nil && a.apisix.HasIP {
		address = a.apisix.IP
		ctx.Export("apisixAddress", address)
	}
	if a.demo != nil {
		for name, url := range a.demo.URLs {
			at(name, url, address)
		}
		ctx.Export("demoKey", a.demo.Key)
		ctx.Export("demoPassword", a.demo.Password)
	}
}
