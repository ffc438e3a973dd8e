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
// Argo CD has no such check (argo-cd docs/operator-manual/health.md, Argocd App), so without this
// check the root Application would be Healthy before its children are synced.
//
//go:embed scripts/argocd-application.lua
var argocdApplicationHealth string

// argocdValues returns the chart's values. Traefik terminates TLS, so the server serves plain HTTP.
func argocdValues(host string, admin argocdAdmin, keepCRDs bool) object {
	off := object{"enabled": false}
	return object{
		"global": object{
			"domain": host,
			// The chart's network policies are off, and users may enable them. They admit all
			// traffic to the server, but only traffic from Argo CD's own Pods to the other Pods
			// (argo-helm charts/argo-cd/templates/argocd-server/networkpolicy.yaml).
			"networkPolicy": object{"create": false},
		},
		"crds": object{"install": true, "keep": keepCRDs},
		"configs": object{
			"params": object{"server.insecure": true},
			"cm":     object{"resource.customizations.health.argoproj.io_Application": argocdApplicationHealth},
			"secret": object{
				"argocdServerAdminPassword":      admin.hash,
				"argocdServerAdminPasswordMtime": admin.changed,
			},
		},
		"redisSecretInit": off, // redisPassword creates the Secret
		"dex":             off,
		"notifications":   off,
		"applicationSet":  object{"replicas": 0},
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
