package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
	"strata/tests/pulumitest"
)

// everything configures a stack with every layer and a workload.
func everything(t *testing.T, p *program) *program {
	t.Helper()
	keys := pulumitest.EveryLayer()
	keys["apps.restImage"] = "localhost/strata/go-rest:1.0.0"
	keys["apps.workloads"] = []any{section{"name": "shop", "image": "shop:1",
		"routes": []any{section{}}}}
	for name, value := range pulumitest.Sections(t, keys) {
		p.set(t, name, value)
	}
	return p
}

// pulumitest.Charts and EveryLayer must have every chart. Otherwise tests that use them would not
// cover the missing chart.
func TestEveryLayerStackHasReleaseOfEveryChart(t *testing.T) {
	g := newProgram(t, "local").with(t, nil)
	for key := range config.OwnedValues() {
		assert.Contains(t, g.names(), pulumitest.Charts[key].Release, "the row of %s", key)
	}
}

func TestWorkloadsCannotUseNamespaceOfAnyLayer(t *testing.T) {
	g := newProgram(t, "local").with(t, nil)
	for key, chart := range pulumitest.Charts {
		err := load(t, map[string]any{"apps.workloads": []any{section{"name": "shop",
			"image": "shop:1", "namespace": g[chart.Release].Text("namespace")}}})
		assert.ErrorContains(t, err, "has an owner already", "the row of %s in config/charts.go", key)
	}
}
