package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A failed gate is not stored in the state, and its dependents are not created. The next update
// begins with the gate.
func TestFailedGateStopsDependentsAndNextUpdateContinues(t *testing.T) {
	gates := map[string]string{
		"hosts-agent-1-gate": "hosts", "k3s-server-1-gate": "k3s",
		"k3s-agent-1-gate": "k3s",
		"k3s-api":          "k3s", "k3s-nodes": "k3s", "k3s-system": "k3s",
		"metallb-webhook": "metallb", "metallb-pool-gate": "metallb",
	}
	whole := newStack(t, "local")
	whole.mustUp()
	sound := whole.stored()
	for gate, layer := range gates {
		t.Run(gate, func(t *testing.T) {
			s := newStack(t, "local")
			s.fail("create", gate)
			failed := s.up()
			require.Error(t, failed.err)
			assert.Contains(t, toldAbout(failed, gate), "made to fail")
			assert.Contains(t, failed.urnOf(gate), "::strata:"+layer+"/",
				"the layer is in what the user reads")

			stored := s.stored()
			assert.NotContains(t, stored, gate)
			for name := range sound {
				if name != gate && needs(sound, name, gate) {
					assert.NotContains(t, stored, name, "it needs %s", gate)
				}
			}

			s.heal("create", gate)
			next := s.mustUp()
			assert.Contains(t, next.actions.names("create"), gate)
			for name := range stored {
				assert.Nil(t, next.actions.find("create", name), "%s was there already", name)
			}
			assert.Len(t, s.stored(), len(sound))
			assert.Empty(t, s.mustUp().changed())
		})
	}
}

// An error names the failed resource, whose URN contains the layer.
func TestFailedActionReportsItsLayer(t *testing.T) {
	for name, layer := range map[string]string{
		"hosts-server-1-hostkey": "hosts", "hosts-server-1-gate": "hosts",
		"k3s-token": "k3s", "k3s-cluster": "k3s",
		"k3s-agent-1-binary": "k3s", "k3s-agent-1-install": "k3s",
		"k3s-members": "k3s", "metallb-namespace": "metallb",
		"metallb-release": "metallb", "metallb-pool": "metallb",
		"metallb-advertisement": "metallb",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, "local")
			s.fail("create", name)
			failed := s.up()
			require.Error(t, failed.err)
			assert.Contains(t, failed.urnOf(name), "::strata:"+layer+"/")
			assert.Contains(t, toldAbout(failed, name), "create of "+name+": made to fail")
		})
	}
}

// If a gate fails when it runs again, it is removed from the state. So the next update runs it.
func TestFailedGateRunsAgainOnNextUpdate(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.set("k3s", "tlsSANs", []string{"api.example.org"})
	s.fail("create", "k3s-server-2-gate")
	failed := s.up()
	require.Error(t, failed.err)
	assert.Contains(t, failed.actions.names("create"), "k3s-server-1-install")
	assert.NotContains(t, failed.actions.names("create"), "k3s-server-3-install",
		"it needs the gate before")
	s.heal("create", "k3s-server-2-gate")
	next := s.mustUp().actions
	assert.Contains(t, next.names("create"), "k3s-server-2-gate")
	assert.Contains(t, next.names("create"), "k3s-server-3-install")
	assert.NotContains(t, next.names("create"), "k3s-server-1-install", "it is done")
}

// After a failed change is reverted, all inputs are the old ones. Steps that had started must run
// again nevertheless, and no other steps.
func TestRevertedFailedChangeRunsStartedStepsAgain(t *testing.T) {
	for failing, want := range map[string][]string{
		"k3s-server-1-install": {"k3s-server-1-install"},
		"k3s-server-1-gate":    {"k3s-server-1-install", "k3s-server-1-gate"},
		"k3s-server-2-install": {"k3s-server-1-install", "k3s-server-1-gate",
			"k3s-server-2-install"},
	} {
		t.Run(failing, func(t *testing.T) {
			s := newStack(t, "staging")
			s.mustUp()
			sound := s.stored()
			s.set("k3s", "tlsSANs", []string{"api.example.org"})
			s.fail("create", failing)
			require.Error(t, s.up().err)

			s.set("k3s", "tlsSANs", nil)
			s.heal("create", failing)
			back := s.mustUp()
			assert.ElementsMatch(t, want, slices.Collect(maps.Keys(back.changed())))
			for name, before := range sound {
				assert.True(t, before.Inputs.DeepEquals(s.stored()[name].Inputs), name)
			}
			assert.Empty(t, s.mustUp().changed())
		})
	}
}

// A destroy must also succeed if failed resources have left the state.
func TestDestroyAfterFailedChangeLeavesNothing(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.set("k3s", "tlsSANs", []string{"api.example.org"})
	s.fail("create", "k3s-server-2-gate")
	require.Error(t, s.up().err)
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.Contains(t, gone.actions.names("delete"), "k3s-server-2-claim")
	assert.Empty(t, s.stored())
}

// A failed step that has a delete action, or an output that others need, stays in the state. It
// runs again because its attempt has changed.
func TestRevertedFailedStepIsUpdatedInPlace(t *testing.T) {
	s := newStack(t, "staging")
	s.set("k3s", "vip", "10.10.0.10")
	s.mustUp()
	s.set("k3s", "vip", "10.10.0.9")
	s.fail("update", "k3s-server-1-keepalived")
	assert.Contains(t, toldAbout(s.up(), "k3s-server-1-keepalived"), "made to fail")

	s.set("k3s", "vip", "10.10.0.10")
	s.heal("update", "k3s-server-1-keepalived")
	back := s.mustUp().actions
	assert.Contains(t, back.names("update"), "k3s-server-1-keepalived")
	assert.Empty(t, back.ending("delete", "-keepalived"), "keepalived goes on")
	assert.Empty(t, s.mustUp().changed())
}

// toldAbout returns all error messages about a resource.
func toldAbout(r *result, name string) string {
	var output strings.Builder
	for urn, message := range r.errors {
		if resource.URN(urn).IsValid() && resource.URN(urn).Name() == name {
			output.WriteString(message)
		}
	}
	return output.String()
}

// urnOf returns the resource's URN in the error messages about it.
func (r *result) urnOf(name string) string {
	for urn := range r.errors {
		if resource.URN(urn).IsValid() && resource.URN(urn).Name() == name {
			return urn
		}
	}
	return ""
}

// needs reports whether a resource depends on another one, directly or indirectly.
func needs(states map[string]*pkgresource.State, name, wanted string) bool {
	if states[name] == nil {
		return false
	}
	return slices.ContainsFunc(states[name].Dependencies, func(urn resource.URN) bool {
		return urn.Name() == wanted || needs(states, urn.Name(), wanted)
	})
}
