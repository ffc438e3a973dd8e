package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// After a kill during the update or delete of an object, the state has the old object. So an update
// to the old configuration sees no change, unless it has `--refresh`.
func TestRevertOfKilledObjectChangeNeedsRefresh(t *testing.T) {
	for name, change := range map[string]string{"update of metallb-pool": "pool",
		"delete of argocd-release": "argocd"} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, "proxmox")
			h.taken["argocd"] = true
			require.NoError(t, h.play(step{what: "up", without: true}))
			require.NoError(t, h.play(step{what: change}))
			all, err := h.kills(scenes[0].op)
			require.NoError(t, err)
			h.from(moment(t, all, "behind "+name))
			require.NoError(t, h.play(step{what: change}))
			require.Error(t, h.play(step{what: "up", without: true}))
			require.NoError(t, h.play(step{what: "refresh", without: true}))
			require.NoError(t, h.converges())
		})
	}
}

// moment returns the result of the kill at a boundary, for example "behind update of metallb-pool".
func moment(t *testing.T, all []killed, at string) killed {
	t.Helper()
	for _, one := range all {
		if one.at == at {
			return one
		}
	}
	require.Fail(t, "no kill "+at)
	return killed{}
}
