package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
)

// claims returns, by machine, the Spec with which the stack's machines are created and deleted.
func claims(t *testing.T, s *stack) map[string]hypervisor.Spec {
	t.Helper()
	all := map[string]hypervisor.Spec{}
	for _, name := range machinesOf(s) {
		var made hypervisor.Spec
		require.NoError(t, json.Unmarshal(
			[]byte(s.stored()[name].Inputs["stdin"].StringValue()), &made))
		all[made.Name()] = made
	}
	require.NotEmpty(t, all)
	return all
}

// Two users with the same stack file create machines with the same names, but each has an own
// cluster. The identity must distinguish the machines.
func TestMachinesOfTwoStatesHaveDifferentClusters(t *testing.T) {
	ours, theirs := newStack(t, "proxmox"), newStack(t, "proxmox")
	ours.answers.Cluster, theirs.answers.Cluster = "cafe", "feed"
	ours.mustUp()
	theirs.mustUp()
	others := claims(t, theirs)
	for machine, owner := range claims(t, ours) {
		assert.Equal(t, "cafe", owner.Cluster, machine)
		require.Contains(t, others, machine)
		other := others[machine]
		assert.Equal(t, "feed", other.Cluster, machine)
		assert.Equal(t, []string{owner.Project, owner.Stack, owner.Node},
			[]string{other.Project, other.Stack, other.Node})
		assert.Equal(t, "strata", owner.Project)
	}
}

// Machines in a state without cluster identities get theirs by an update in place. The preview
// shows no deletion.
func TestMachinesOfOlderStackGetClusterIdentityInPlace(t *testing.T) {
	s := keptStack(t, "proxmox")
	seen := s.preview()
	require.NoError(t, seen.err)
	for resource, steps := range seen.changed() {
		assert.False(t, s.loses(resource, steps), "%s: %v", resource, steps)
	}
	did := s.mustUp().actions
	for _, machine := range machinesOf(s) {
		assert.Nil(t, did.find("create", machine), machine)
		assert.Nil(t, did.find("delete", machine), machine)
	}
	for machine, owner := range claims(t, s) {
		assert.NotEmpty(t, owner.Cluster, machine)
	}
	assert.Empty(t, s.mustUp().changed(), "the second up")
}
