package pulumitest

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

// Chart describes a chart that the program installs, for the tests of its values.
type Chart struct {
	// Release is the resource of its Helm release.
	Release string
	// Again are the gates and commands that run after a change of its values.
	Again []string
	// Values are values that a user may set, in YAML. They put the text Want into the object Name.
	// They are empty if the chart is in WithoutStandIn.
	Values, Kind, Name, Want string
	// Object is one of the program's values, which the chart's schema describes as an object.
	Object string
}

// Charts has a row for each chart, by the configuration key of the user's values.
var Charts = map[string]Chart{
	"metallb.values": {
		Release: "metallb-release", Again: []string{"metallb-webhook", "metallb-rollout"},
		Values: `{controller: {podAnnotations: {example.org/mine: "yes"}}}`,
		Kind:   "Deployment", Name: "metallb-controller", Want: `"example.org/mine":"yes"`,
		Object: "speaker",
	},
	"certManager.values": {
		Release: "cert-manager-release", Again: []string{"cert-manager-api"},
		Values: `{podAnnotations: {example.org/mine: "yes"}}`,
		Kind:   "Deployment", Name: "cert-manager", Want: `"example.org/mine":"yes"`,
		Object: "webhook",
	},
	"vault.values": {
		Release: "vault-release", Again: []string{"vault-init", "vault-configure", "vault-gate"},
		Values: `{server: {annotations: {example.org/mine: "yes"}}}`,
		Kind:   "StatefulSet", Name: "vault", Want: `"example.org/mine":"yes"`,
		Object: "server",
	},
	"traefik.values": {
		Release: "traefik-release",
		Again: []string{"traefik-rollout", "traefik-address", "traefik-programmed",
			"traefik-dashboard", "argocd-server"},
		Values: `{service: {annotations: {example.org/mine: "yes"}}, ports: {web: {http: {}}}}`,
		Kind:   "Service", Name: "traefik", Want: `"example.org/mine":"yes"`,
		Object: "deployment",
	},
	"apisix.values": {
		Release: "apisix-release",
		Again: []string{"apisix-rollout", "apisix-address", "apisix-gateway-gate",
			"validation-routes", "validation-upstreams", "validation-probes"},
		Values: `{resources: {limits: {memory: 1234Mi}}}`,
		Kind:   "Deployment", Name: "apisix", Want: `"memory":"1234Mi"`,
	},
	"apisix.controllerValues": {
		Release: "apisix-controller-release",
		Again: []string{"apisix-webhook", "apisix-rollout", "apisix-gateway-gate",
			"validation-routes", "validation-upstreams", "validation-probes"},
		Values: `{deployment: {resources: {limits: {memory: 1234Mi}}}}`,
		Kind:   "Deployment", Name: "apisix-ingress-controller", Want: `"memory":"1234Mi"`,
	},
	"argocd.values": {
		Release: "argocd-release",
		Again:   []string{"argocd-unblock", "argocd-rollout", "argocd-server"},
		Values:  `{server: {podAnnotations: {example.org/mine: "yes"}}}`,
		Kind:    "Deployment", Name: "argocd-server", Want: `"example.org/mine":"yes"`,
		Object: "configs",
	},
	"apps.wave.values": {Release: "wave-release", Again: []string{"wave-webhook"}},
}

// WithoutStandIn has the artifacts for which the lab has no stand-in, with the reason.
var WithoutStandIn = map[string]string{
	"wave-chart": "the lab has Wave's own chart or none (STRATA_WAVE_SOURCE)",
}

// EveryLayer returns the keys that enable every layer, and so every chart.
func EveryLayer() map[string]any {
	return map[string]any{
		"certManager.issuer":  "vault",
		"ingress.controllers": []string{"traefik", "apisix"},
		"apps.demo":           true,
		"apps.wave.enabled":   true,
	}
}

// Sections returns the configuration's sections, in which keys have these values. Each key is a path
// like those of config.ValuePath.
func Sections(t testing.TB, keys map[string]any) map[string]any {
	t.Helper()
	sections := resource.NewProperty(resource.PropertyMap{})
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		path, err := resource.ParsePropertyPath(key)
		require.NoError(t, err)
		_, ok := path.Add(sections, resource.NewPropertyValue(keys[key]))
		require.True(t, ok, key)
	}
	return sections.ObjectValue().Mappable()
}
