package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

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
