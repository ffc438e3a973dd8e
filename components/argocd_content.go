package components

import (
	_ "embed"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health/rollout"
	"strata/health/waitfor"
)

const (
	argocdController = "argocd-application-controller"
	// argocdRedis names redis' Deployment and the Secret with its password.
	argocdRedis = "argocd-redis"
)

// argocdRollout lists the workloads that the release rolls out. One of them is the controller,
// which writes to redis even when it is idle.
func argocdRollout() rollout.Spec {
	return rollout.Spec{
		Workloads: []string{
			argocdNamespace + "/Deployment/argocd-server",
			argocdNamespace + "/Deployment/argocd-repo-server",
			argocdNamespace + "/Deployment/" + argocdRedis,
			argocdNamespace + "/StatefulSet/" + argocdController,
		},
		Redis: &rollout.Redis{
			Namespace: argocdNamespace, Secret: argocdRedis,
			Clients:   "app.kubernetes.io/name=" + argocdController,
			Container: "application-controller",
		},
	}
}

// argocdApplicationHealth judges, in Lua, an Application that another Application brings; Argo CD
// has no check of its own for that (argo-cd docs/operator-manual/health.md, Argocd App). Without it
// the root is Healthy before its children have begun.
//
//go:embed scripts/argocd-application.lua
var argocdApplicationHealth string

// argocdValues returns the chart's values: TLS ends at the ingress, so the server speaks plain HTTP
// behind it.
func argocdValues(host string, admin argocdAdmin, keepCRDs bool) pulumi.Map {
	off := pulumi.Map{"enabled": pulumi.Bool(false)}
	return pulumi.Map{
		"global": pulumi.Map{
			"domain": pulumi.String(host),
			// The chart makes network policies by default; users set this value if they want them.
			// They admit all traffic to the server, and Argo CD's own Pods to the rest (argo-helm
			// charts/argo-cd/templates/argocd-server/networkpolicy.yaml).
			"networkPolicy": pulumi.Map{"create": pulumi.Bool(false)},
		},
		"crds": pulumi.Map{"install": pulumi.Bool(true), "keep": pulumi.Bool(keepCRDs)},
		"configs": pulumi.Map{
			"params": pulumi.Map{"server.insecure": pulumi.Bool(true)},
			"cm":     pulumi.Map{"resource.customizations.health.argoproj.io_Application": pulumi.String(argocdApplicationHealth)},
			"secret": pulumi.Map{
				"argocdServerAdminPassword":      admin.hash,
				"argocdServerAdminPasswordMtime": admin.changed,
			},
		},
		"redisSecretInit": off, // the Secret is there before the release
		"dex":             off,
		"notifications":   off,
		"applicationSet":  pulumi.Map{"replicas": pulumi.Int(0)},
	}
}

// argocdRoute leads the host's requests to the server.
func argocdRoute(host string) pulumi.Map {
	return pulumi.Map{
		"hostnames": pulumi.ToStringArray([]string{host}),
		"parentRefs": pulumi.Array{pulumi.Map{
			"name": pulumi.String(traefikName), "namespace": pulumi.String(traefikName),
			"sectionName": pulumi.String("https"),
		}},
		"rules": pulumi.Array{pulumi.Map{
			"matches": pulumi.Array{
				pulumi.Map{"path": pulumi.Map{"type": pulumi.String("PathPrefix"),
					"value": pulumi.String("/")}}},
			"backendRefs": pulumi.Array{pulumi.Map{"name": pulumi.String("argocd-server"),
				"port": pulumi.Int(80)}},
		}},
	}
}

// routeWait makes the engine wait for an HTTPRoute until its Gateway has accepted it and found its
// backends.
func routeWait(limit time.Duration) pulumi.StringMap {
	const parent = `{.status.parents[?@.controllerName=="traefik.io/gateway-controller"]}`
	return pulumi.ToStringMap(waitfor.Combine(
		waitfor.ConditionOn(parent, "Accepted"), waitfor.ConditionOn(parent, "ResolvedRefs"),
	).Annotations(limit))
}
