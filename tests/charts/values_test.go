package charts_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misspelt has values that the program sets, with a misspelt name for each.
var misspelt = []struct{ release, section, key, other string }{
	{"metallb", "crds", "validationFailurePolicy", "validationFailPolicy"},
	{"traefik", "deployment", "replicas", "replicaCount"},
	{"traefik", "", "gatewayClass", "gatewayclass"},
	{"argocd", "configs", "params", "parameters"},
	{"vault", "server", "dataStorage", "storage"},
	{"cert-manager", "webhook", "replicaCount", "replicas"},
	{"cert-manager", "", "startupapicheck", "startupAPICheck"},
}

func TestMisspeltValueIsDetected(t *testing.T) {
	p := newProgram(t, platforms[2].keys)
	for _, mutant := range misspelt {
		t.Run(mutant.release+" "+mutant.key, func(t *testing.T) {
			i := slices.IndexFunc(p.releases,
				func(r *release) bool { return r.name == mutant.release })
			require.GreaterOrEqual(t, i, 0)
			broken := *p.releases[i]
			broken.values = renamed(t, broken.values, mutant.section, mutant.key, mutant.other)
			assert.NotEmpty(t, unknown(broken.load(), broken.values))
		})
	}
}

func TestValueOfWrongTypeIsRefusedByChartSchema(t *testing.T) {
	p := newProgram(t, platforms[2].keys)
	for _, sound := range p.releases {
		t.Run(sound.name, func(t *testing.T) {
			broken := *sound
			if broken.load().Schema == nil {
				t.Skipf("not checked: %s has no schema", broken.chartName())
			}
			broken.values = maps.Clone(broken.values)
			require.Contains(t, broken.values, broken.row.Object, "the row of %s", broken.key)
			broken.values[broken.row.Object] = 3
			_, err := broken.render()
			assert.ErrorContains(t, err, "refuses our values")
		})
	}
}

// renamed returns a copy of values in which a key has another name. The key is in a section, or at
// the top if section is empty.
func renamed(t *testing.T, values map[string]any, section, key, other string) map[string]any {
	t.Helper()
	copied := maps.Clone(values)
	place := copied
	if section != "" {
		place = maps.Clone(values[section].(map[string]any))
		copied[section] = place
	}
	require.Contains(t, place, key)
	place[other] = place[key]
	delete(place, key)
	return copied
}
