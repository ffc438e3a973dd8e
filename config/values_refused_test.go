package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

// refusedRules are cases of values that the chart accepts and Strata refuses. An update with them
// would succeed, but break a route, a gate or another part of the stack.
var refusedRules = []rule{
	{"routes of the Gateway API's experimental channel",
		one("traefik", `{"values":{"providers":{"kubernetesGateway":{"experimentalChannel":true}}}}`),
		"strata:traefik.values.providers.kubernetesGateway.experimentalChannel: true is not for " +
			"values to set: Traefik would wait without end for " +
			"TCPRoute v1alpha2, which the Gateway API's standard channel does not have, and " +
			"serve no HTTPRoute; use Traefik's own IngressRouteTCP"},
	{"the dashboard disabled by values", one("traefik", `{"values":{"api":{"dashboard":false}}}`),
		"strata:traefik.values.api.dashboard: false is not for values to set: with " +
			"traefik.dashboard a route, a gate and an output of the stack go by it; use traefik.dashboard"},
	{"another path of the dashboard", one("traefik", `{"values":{"api":{"basePath":"/edge"}}}`),
		`strata:traefik.values.api.basePath: "/edge" is not for values to set: with traefik.dashboard a route, a gate and an output of the stack go by it; use traefik.dashboard`},
	{"metrics by the user's own route", one("traefik",
		`{"values":{"metrics":{"prometheus":{"manualRouting":true}}}}`),
		"strata:traefik.values.metrics.prometheus.manualRouting: true is not for values to set: " +
			"a canary counts answers there; remove it"},
	{"Vault's UI", one("vault", `{"values":{"ui":{"enabled":true}}}`),
		"strata:vault.values.ui.enabled: true is not for values to set: Strata's configuration " +
			"of Vault has its UI off, so the Service would lead to nothing; remove it"},
	{"the address by a Service's loadBalancerIP", one("apisix",
		`{"values":{"service":{"loadBalancerIP":"10.10.0.201"}}}`),
		`strata:apisix.values.service.loadBalancerIP: "10.10.0.201" is not for values to set: Strata sets it; use apisix.address`},
	{"a disruption budget for the only Pod", one("certManager",
		`{"replicas":1,"values":{"cainjector":{"podDisruptionBudget":{"enabled":true}}}}`),
		"strata:certManager.values.cainjector.podDisruptionBudget.enabled: true is not for " +
			"values to set: with one replica the chart's PodDisruptionBudget " +
			"blocks each drain of its node; use certManager.replicas"},
	{"the address by annotations for TCP",
		one("traefik", `{"values":{"service":{"annotationsTCP":{"metallb.io/loadBalancerIPs":"10.10.0.201"}}}}`),
		`strata:traefik.values.service.annotationsTCP["metallb.io/loadBalancerIPs"]: "10.10.0.201" is not for values to set: Strata sets it; use traefik.address`},
	{"zero replicas as a text", one("argocd", `{"values":{"server":{"replicas":"0"}}}`),
		`strata:argocd.values.server.replicas: "0" is not for values to set: with none Argo CD does nothing; write at least 1`},
	{"zero replicas of Argo CD's controller", one("argocd", `{"values":{"controller":{"replicas":0}}}`),
		"strata:argocd.values.controller.replicas: 0 is not for values to set: with none Argo CD " +
			"does nothing; write at least 1"},
	{"zero replicas of APISIX's controller", one("apisix",
		`{"controllerValues":{"deployment":{"replicas":0}}}`),
		"strata:apisix.controllerValues.deployment.replicas: 0 is not for values to set: with " +
			"none no route reaches the data plane; write at least 1"},
	{"Wave without RBAC", one("apps",
		`{"wave":{"enabled":true,"values":{"global":{"rbac":{"enabled":false}}}}}`),
		"strata:apps.wave.values.global.rbac.enabled: false is not for values to set: without it " +
			"Wave may do none of its work; remove it"},
	{"signers without cert-manager's own",
		one("certManager", `{"values":{"approveSignerNames":["clusterissuers.cert-manager.io/*","issuers.example.org/*"]}}`),
		`strata:certManager.values.approveSignerNames: is not for values to set: ` +
			"the platform's own certificates would never be approved; list " +
			"issuers.cert-manager.io/* and clusterissuers.cert-manager.io/* beside your own"},
	{"signers as a text", one("certManager",
		`{"values":{"approveSignerNames":"issuers.cert-manager.io/*"}}`),
		`strata:certManager.values.approveSignerNames: "issuers.cert-manager.io/*" is not for values to set: the platform's own certificates would ` +
			"never be approved; list issuers.cert-manager.io/* and clusterissuers.cert-manager.io/* beside your own"},
}

func TestReplicasThatAreNoPositiveNumberAreRefused(t *testing.T) {
	for _, replicas := range []string{`"0x0"`, `"0b0"`, `"0o0"`, `false`, `0.5`, `[]`, `{}`, `"none"`, `-1`} {
		_, err := config.Load("dev", withValues(t, "argocd.values",
			`{"server":{"replicas":`+replicas+`}}`), noEnv)
		assert.ErrorContains(t, err, "is not for values to set: with none Argo CD does nothing; "+
			"write at least 1", replicas)
	}
	_, err := config.Load("dev", withValues(t, "argocd.values", `{"server":{"replicas":"2"}}`), noEnv)
	assert.NoError(t, err)
}

// Some values are refused only with certain other settings. Otherwise the user may set them.
func TestConditionallyRefusedValuesAreAcceptedOtherwise(t *testing.T) {
	for name, values := range map[string]struct{ key, text string }{
		"signers beside cert-manager's own": {"certManager.values",
			`{"approveSignerNames":["awspcaclusterissuers.awspca.cert-manager.io/*","issuers.cert-manager.io/*","clusterissuers.cert-manager.io/*"]}`},
		"replicas of Argo CD's": {"argocd.values",
			`{"controller":{"replicas":1},"server":{"replicas":2},"repoServer":{"replicas":2}}`},
		"replicas of APISIX's": {"apisix.controllerValues", `{"deployment":{"replicas":2}}`},
		"every signer":         {"certManager.values", `{"approveSignerNames":[]}`},
		"Argo CD's own policies": {"argocd.values",
			`{"global":{"networkPolicy":{"create":true,"defaultDenyIngress":true}}}`},
		"the dashboard's own name": {"traefik.values", `{"api":{"dashboardName":"edge"}}`},
		"how much of it may be away": {"certManager.values",
			`{"cainjector":{"podDisruptionBudget":{"maxUnavailable":1}}}`},
	} {
		_, err := config.Load("dev", withValues(t, values.key, values.text), noEnv)
		assert.NoError(t, err, name)
	}
	raw := good()
	raw["certManager"] = `{"replicas":1,"values":{"cainjector":{"podDisruptionBudget":{"enabled":false}}}}`
	_, err := config.Load("dev", raw, noEnv)
	assert.NoError(t, err, "no budget for one Pod")
	raw["certManager"] = `{"replicas":2,"values":{"cainjector":{"podDisruptionBudget":{"enabled":true}}}}`
	raw["traefik"] = `{"dashboard":false,"values":{"api":{"dashboard":false,"basePath":"/edge"}}}`
	_, err = config.Load("dev", raw, noEnv)
	assert.NoError(t, err, "a budget for one Pod of several, and an API that nothing of Strata's asks")
}
