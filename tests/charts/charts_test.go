// Package charts_test checks the program against the charts that it installs. Each chart must
// accept the program's values. Each name, label and port that a gate or an edge depends on must be
// in the charts' output for these values. The tests run the real program under mocks and Helm's own
// engine, without a cluster. They use the charts of the lab's bundle; upstream charts (*.tgz) in
// the folder CHARTS replace those of the same name. The log lists the charts' origins and skipped
// checks.
package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// platforms are stacks that together have all releases of the program.
var platforms = []struct {
	name string
	keys map[string]any
}{
	{"staging", nil},
	{"every layer", everyLayer()},
	{"staging, certificates of its own Vault", map[string]any{"certManager.issuer": "vault"}},
	{"staging, certificates by ACME", map[string]any{
		"certManager.issuer":      "acme",
		"certManager.acme.server": "https://acme.example.org/directory",
		"ingress.domain":          "platform.example.org",
	}},
	{"staging, Vault to try out", map[string]any{"vault.enabled": true,
		"vault.storage.persistent": false}},
}

// everyLayer returns the keys that enable each layer whose chart the lab has, with certificates of
// the stack's own CA.
func everyLayer() map[string]any {
	keys := pulumitest.EveryLayer()
	delete(keys, "certManager.issuer")
	for values, chart := range pulumitest.Charts {
		if chart.Values == "" {
			delete(keys, strings.TrimSuffix(values, "values")+"enabled")
		}
	}
	return keys
}

func TestEachChartAcceptsValuesOfProgram(t *testing.T) {
	for _, platform := range platforms {
		t.Run(platform.name, func(t *testing.T) {
			p := newProgram(t, platform.keys)
			require.NotEmpty(t, p.releases)
			for _, release := range p.releases {
				objects, err := release.render()
				require.NoError(t, err)
				assert.NotEmpty(t, objects)
				assert.Empty(t, unknown(release.load(), release.values),
					"%s does not know these values", release.chartName())
				t.Logf("%s: %s; %s", release.chartName(), release.origin, release.schema())
			}
		})
	}
}

func TestChartsHaveObjectsThatGatesAndEdgesNeed(t *testing.T) {
	for _, platform := range platforms {
		t.Run(platform.name, func(t *testing.T) {
			w := newWorld(t, newProgram(t, platform.keys))
			problems, unchecked := w.check()
			assert.Empty(t, problems)
			for _, one := range unchecked {
				t.Log("not checked: " + one)
			}
		})
	}
}

func TestNoReleaseLeavesCRDsBehind(t *testing.T) {
	for _, platform := range platforms {
		t.Run(platform.name, func(t *testing.T) {
			p := newProgram(t, platform.keys)
			for _, release := range p.releases {
				assert.Empty(t, release.orphans(t, p.definitions),
					"%s: Helm never deletes these; skip its crds/", release.chartName())
			}
		})
	}
}

// Without skipCrds, Traefik's release would leave CRDs, except those that the program applies. The
// check must find them.
func TestReleaseWithoutSkipCRDsLeavesCRDs(t *testing.T) {
	p := newProgram(t, nil)
	i := slices.IndexFunc(p.releases, func(r *release) bool { return r.name == "traefik" })
	require.GreaterOrEqual(t, i, 0)
	traefik := *p.releases[i]
	traefik.skips = false
	assert.Len(t, traefik.orphans(t, p.definitions), 15)
	assert.Len(t, traefik.orphans(t, nil), 25)
	traefik.skips = true
	assert.Empty(t, traefik.orphans(t, nil))
}
