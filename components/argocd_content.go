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
	// argocdRedis is the name of Redis's Deployment and of the Secret with its password.
	argocdRedis = "argocd-redis"
)

// argocdRollout returns the Spec of the rollout gate. The gate also reads in the log of the
// application controller, which writes to Redis even when it is idle, whether Redis accepts its
// password.
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

// argocdApplicationHealth is a Lua health check for Applications that another Application creates.
// Argo CD has none (argo-cd docs/operator-manual/health.md, Argocd App), so without it the root
// Application is Healthy before its children are synced.
//
//go:embed scripts/argocd-application.lua
var argocdApplicationHealth string

// argocdValues returns the chart's values. Traefik terminates TLS, so the server serves plain HTTP.
func argocdValues(host string, admin argocdAdmin, keepCRDs bool) pulumi.Map {
	off := pulumi.Map{"enabled": pulumi.Bool(false)}
	return pulumi.Map{
		"global": pulumi.Map{
			"domain": pulumi.String(host),
			// The chart creates network policies by default; here they are off, and users may
			// enable them. They admit all traffic to the server, and Argo CD's own Pods to the rest
			// (argo-helm charts/argo-cd/templates/argocd-server/networkpolicy.yaml).
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
		"redisSecretInit": off, // redisPassword creates the Secret
		"dex":             off,
		"notifications":   off,
		"applicationSet":  pulumi.Map{"replicas": pulumi.Int(0)},
	}
}

// argocdRoute returns the spec of the HTTPRoute that sends the host's requests to the server.
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

// routeWait returns annotations that make Pulumi wait until Traefik has accepted an HTTPRoute and
// resolved its backends.
func routeWait(limit time.Duration) pulumi.StringMap {
	const parent = `{.status.parents[?@.controllerName=="traefik.io/gateway-controller"]}`
	return pulumi.ToStringMap(waitfor.Combine(
		waitfor.ConditionOn(parent, "Accepted"), waitfor.ConditionOn(parent, "ResolvedRefs"),
	).Annotations(limit))
}
