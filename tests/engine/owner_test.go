package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/nspawn"
)

// claims returns the owners of a stack's machines by name, as their resources create and would
// delete them.
func claims(t *testing.T, s *stack) map[string]nspawn.Owner {
	t.Helper()
	all := map[string]nspawn.Owner{}
	for _, name := range machinesOf(s) {
		text := []byte(s.stored()[name].Inputs["stdin"].StringValue())
		var made nspawn.Spec
		var virtual hypervisor.Spec
		if json.Unmarshal(text, &made) == nil && made.Owner != nil {
			all[made.Name] = *made.Owner
			continue
		}
		require.NoError(t, json.Unmarshal(text, &virtual))
		all[virtual.Name()] = nspawn.Owner{Cluster: virtual.Cluster, Project: virtual.Project,
			Stack: virtual.Stack, Node: virtual.Node}
	}
	require.NotEmpty(t, all)
	return all
}

// Two people with one stack file create machines of one name, each for a cluster of their own.
func TestMachinesOfOneFileAreOfTheirStatesCluster(t *testing.T) {
	for _, name := range []string{"proxmox", "local"} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := newStack(t, name), newStack(t, name)
			ours.answers.Cluster, theirs.answers.Cluster = "cafe", "feed"
			ours.mustUp()
			theirs.mustUp()
			others := claims(t, theirs)
			for machine, owner := range claims(t, ours) {
				assert.Equal(t, "cafe", owner.Cluster, machine)
				require.Contains(t, others, machine)
				assert.Equal(t, "feed", others[machine].Cluster, machine)
				owner.Cluster = "feed"
				assert.Equal(t, owner, others[machine])
				assert.Equal(t, "strata", owner.Project)
			}
		})
	}
}

// A stack from before identities passes them to its machines in place, and its preview shows no
// loss.
func TestMachinesOfAnOlderStackAreToldTheirCluster(t *testing.T) {
	for _, name := range []string{"proxmox", "local"} {
		t.Run(name, func(t *testing.T) {
			s := keptStack(t, name)
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
		})
	}
}
