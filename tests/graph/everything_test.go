package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

// chartOf describes a chart: its release, and the gates and commands that run after a change of its
// values.
type chartOf struct {
	release string
	again   []string
}

var chartsOf = map[string]chartOf{
	"metallb.values":     {"metallb-release", []string{"metallb-webhook", "metallb-rollout"}},
	"certManager.values": {"cert-manager-release", []string{"cert-manager-api"}},
	"vault.values": {"vault-release",
		[]string{"vault-init", "vault-configure", "vault-gate"}},
	"traefik.values": {"traefik-release",
		[]string{"traefik-rollout", "traefik-address", "traefik-programmed", "traefik-dashboard",
			"argocd-server"}},
	"apisix.values": {"apisix-release", []string{"apisix-rollout", "apisix-address",
		"apisix-gateway-gate", "validation-routes", "validation-upstreams", "validation-probes"}},
	"apisix.controllerValues": {"apisix-controller-release",
		[]string{"apisix-webhook", "apisix-rollout",
			"apisix-gateway-gate", "validation-routes", "validation-upstreams",
			"validation-probes"}},
	"argocd.values": {"argocd-release",
		[]string{"argocd-unblock", "argocd-rollout", "argocd-server"}},
	"apps.wave.values": {"wave-release", []string{"wave-webhook"}},
}

// everyLayer returns sections that enable every layer, and so every chart.
func everyLayer() map[string]section {
	return map[string]section{
		"certManager": {"issuer": "vault"},
		"ingress":     {"controllers": []string{"traefik", "apisix"}},
		"apps":        {"demo": true, "wave": section{"enabled": true}},
	}
}

// everything configures a stack with every layer and a workload.
func everything(t *testing.T, p *program) *program {
	t.Helper()
	sections := everyLayer()
	sections["apps"]["restImage"] = "localhost/strata/go-rest:1.0.0"
	sections["apps"]["workloads"] = []any{section{"name": "shop", "image": "shop:1",
		"routes": []any{section{}}}}
	for name, keys := range sections {
		p.set(t, name, keys)
	}
	return p
}

// The tests of this package would not cover a layer that everyLayer lacks.
func TestEveryLayerStackHasReleaseOfEveryChart(t *testing.T) {
	g := newProgram(t, "local").with(t, nil)
	for key := range config.OwnedValues() {
		chart, known := chartsOf[key]
		if assert.True(t, known, "chartsOf has no row for %s", key) {
			assert.Contains(t, g.names(), chart.release)
		}
	}
}

func TestWorkloadsCannotUseNamespaceOfAnyLayer(t *testing.T) {
	g := newProgram(t, "local").with(t, nil)
	for key, chart := range chartsOf {
		err := load(t, map[string]section{"apps": {"workloads": []any{section{"name": "shop",
			"image": "shop:1", "namespace": g[chart.release].Text("namespace")}}}})
		assert.ErrorContains(t, err, "has an owner already", "the row of %s in config/charts.go", key)
	}
}
