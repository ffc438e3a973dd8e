package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If a host's gate refuses, no other resource changes. After a revert, only gates run again.
func TestHostGateRefusesChangeBeforeHostIsChanged(t *testing.T) {
	servers := []string{"server-1", "server-2", "server-3"}
	for name, change := range map[string]func(s *stack){
		"another cluster network": func(s *stack) { s.set("k3s", "clusterCIDR", "10.52.0.0/16") },
		"another flannel backend": func(s *stack) {
			s.set("k3s", "serverArgs", section{"flannel-backend": "host-gw"})
		},
		"Secrets no longer encrypted": func(s *stack) { s.set("k3s", "secretsEncryption", false) },
		"another network for Services": func(s *stack) {
			s.set("k3s", "serviceCIDR",
				"10.53.0.0/16")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, "staging")
			s.mustUp()
			before := s.stored()
			whole := maps.Clone(s.config["strata:k3s"])
			change(s)
			for _, server := range servers {
				s.fail("create", "hosts-"+server+"-gate")
			}
			failed := s.up()
			require.Error(t, failed.err)
			for _, made := range append(failed.actions.names("create"), failed.actions.names("update")...) {
				assert.True(t, strings.HasPrefix(made, "hosts-") &&
					strings.HasSuffix(made, "-gate"), "%s was done", made)
			}

			s.config["strata:k3s"] = whole
			for _, server := range servers {
				s.heal("create", "hosts-"+server+"-gate")
			}
			back := s.mustUp()
			for changed := range back.changed() {
				assert.True(t, strings.HasPrefix(changed, "hosts-server-") &&
					strings.HasSuffix(changed, "-gate"), "%s was done", changed)
			}
			assert.ElementsMatch(t, slices.Collect(maps.Keys(before)),
				slices.Collect(maps.Keys(s.stored())))
		})
	}
}

// If the gate of a renamed node refuses, nothing is installed under the new name, and the host is
// not uninstalled under the old one.
func TestRefusedNodeRenameUninstallsNothing(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	nodes := slices.Clone(s.config["strata:hosts"]["nodes"].([]any))
	for i, node := range nodes {
		if node.(map[string]any)["name"] == "agent-1" {
			renamed := maps.Clone(node.(map[string]any))
			renamed["name"] = "worker-1"
			nodes[i] = renamed
		}
	}
	s.set("hosts", "nodes", nodes)
	s.fail("create", "hosts-worker-1-gate")
	s.fail("update", "k3s-members") // this would refuse the change as well
	failed := s.up()
	require.Error(t, failed.err)
	assert.Empty(t, failed.actions.ending("create", "-claim"),
		"nothing would uninstall a host that was not claimed")
	assert.Empty(t, failed.actions.ending("create", "-install"))
	assert.Empty(t, failed.actions.ending("delete", "-claim"))
}

// After a refused claim, neither an update nor a destroy may run a command on the host.
func TestDestroyRunsNothingOnUnclaimedHost(t *testing.T) {
	s := newStack(t, "staging")
	s.fail("create", "k3s-agent-2-claim")
	failed := s.up()
	require.Error(t, failed.err)
	assert.NotContains(t, failed.actions.names("create"), "k3s-agent-2-binary")
	assert.NotContains(t, failed.actions.names("create"), "k3s-agent-2-install")
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.NotContains(t, gone.actions.names("delete"), "k3s-agent-2-claim")
	assert.Empty(t, s.stored())
}
