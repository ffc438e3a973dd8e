package artifacts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/config"
)

func TestKindOfArtifactsIgnoresUnneededArtifacts(t *testing.T) {
	for name, test := range map[string]struct{ k3s, chart, unneeded, want string }{
		"releases": {"real: a release", "real: a release", "stand-in: a chart",
			artifacts.KindBundle},
		"lab": {"stand-in: K3s", "real: built here", "real: a release",
			artifacts.KindLab},
		"one stand-in": {"real: a release", "stand-in: a chart", "real: a release",
			artifacts.KindLab},
		"one original": {"original: k3s-v1", "stand-in: a chart", "real: a release",
			artifacts.KindOriginals},
		"all originals": {"original: k3s-v1", "original: chart", "real: a release",
			artifacts.KindOriginals},
	} {
		t.Run(name, func(t *testing.T) {
			dir, entries := bundle(t)
			for i := range entries {
				entries[i].Origin = test.k3s
			}
			entries[4].Origin = test.chart
			other := entry(t, dir, "vault-chart", "1", "charts/vault.tgz", "vault")
			other.Origin = test.unneeded
			writeManifest(t, dir, append(entries, other)...)
			set, err := artifacts.Resolve(stack(t, dir, nil), t.TempDir())
			require.NoError(t, err)
			assert.Equal(t, test.want, set.Kind())
		})
	}
	upstream := artifacts.NewPinnedSet(stack(t, config.SourceUpstream, nil))
	assert.Equal(t, config.SourceUpstream, upstream.Kind())
}
