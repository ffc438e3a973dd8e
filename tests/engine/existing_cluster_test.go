package engine_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/edit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// inCluster returns the names of resources in the state that are objects in a cluster.
func (s *stack) inCluster() []string {
	var names []string
	for name, state := range s.stored() {
		if strings.HasPrefix(string(state.Type), "kubernetes:") {
			names = append(names, name)
		}
	}
	return names
}

// In an existing cluster, a destroy deletes the stack's objects. In a cluster that the stack
// created, they vanish with the cluster.
func TestDestroyDeletesEachObjectInExistingCluster(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	objects := s.inCluster()
	assert.Greater(t, len(objects), 20)
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.Empty(t, s.stored())
	for _, name := range objects {
		assert.NotNil(t, gone.actions.find("delete", name), "%s is left behind", name)
	}
	for _, pair := range [][2]string{
		{"metallb-pool", "metallb-release"}, {"metallb-advertisement", "metallb-pool"},
		{"metallb-release", "metallb-namespace"},
		{"traefik-gateway", "traefik-release"}, {"ca-issuer", "cert-manager-release"},
		{"argocd-route", "argocd-release"},
	} {
		assert.True(t, gone.actions.before("delete", pair[0], "delete", pair[1]),
			"%s lives on without %s", pair[0], pair[1])
	}

	ours := newStack(t, "local")
	ours.mustUp()
	spared := ours.destroy()
	require.NoError(t, spared.err)
	for _, name := range objects {
		assert.Nil(t, spared.actions.find("delete", name), "%s goes with the cluster", name)
	}
}

func TestDestroyFailsOnUndeletedObjectAndNextDestroyContinues(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	s.fail("delete", "metallb-release")
	require.Error(t, s.destroy().err)
	assert.Contains(t, s.stored(), "metallb-release")
	assert.Contains(t, s.stored(), "cluster-provider", "the way in, to come back")
	s.heal("delete", "metallb-release")
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}

func TestSecondUpdateOnExistingClusterChangesNothing(t *testing.T) {
	s := newStack(t, "kind")
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Empty(t, seen.actions)
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
}

// kind's client certificate lasts a year; other clusters renew a token every hour.
func TestRenewedCredentialReplacesNothing(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	s.project.UseExistingCluster(t, pulumitest.CA, "renewed-token")
	seen := s.preview()
	require.NoError(t, seen.err)
	renewed := s.mustUp()
	for _, steps := range []map[string][]string{seen.changed(), renewed.changed()} {
		assert.Contains(t, steps, "cluster-provider")
		assert.Contains(t, steps, "metallb-webhook", "a gate asks with the new one")
	}
	for name, did := range renewed.changed() {
		assert.Equal(t, []string{"update"}, did, name)
	}
	for _, object := range s.inCluster() {
		assert.NotContains(t, renewed.changed(), object)
	}
	assert.Empty(t, s.mustUp().changed())
}

const identity = "cluster-identity"

// If the context leads to another cluster, nothing may change there or be deleted in the old
// cluster, with or without --continue-on-error. A proxy may select the cluster by the credential
// alone.
func TestOtherClusterInSameContextIsRefused(t *testing.T) {
	for _, other := range []struct {
		goesOn  bool
		ca, key string
	}{
		{false, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey},
		{true, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey},
		{false, pulumitest.CA, "another-token"},
	} {
		s := newStack(t, "kind")
		s.mustUp()
		before := s.stored()
		s.project.UseExistingCluster(t, other.ca, other.key)
		s.fail("update", identity)
		s.goesOn(other.goesOn)
		refused := s.up()
		require.Error(t, refused.err)
		assert.Contains(t, toldAbout(refused, identity), "made to fail")
		// The refused run may have deleted gates that it has not created again.
		assert.Subset(t, []string{"cluster-nodes", "cluster-system"},
			refused.actions.names("delete"))
		for name := range refused.changed() {
			assert.True(t, name == identity || strings.HasPrefix(name, "cluster-") ||
				name == "strata-kind", "%s: %v", name, refused.steps[name])
		}
		assert.Equal(t, before["cluster-provider"].Inputs, s.stored()["cluster-provider"].Inputs,
			"the way to the cluster of before")
		s.goesOn(false)
		s.heal("update", identity)
		s.project.UseExistingCluster(t, pulumitest.CA, pulumitest.ClientKey)
		back := s.mustUp()
		for _, object := range s.inCluster() {
			assert.NotContains(t, back.changed(), object)
		}
	}
}

// The CA of the cluster is rotated, and the cluster stays the same.
func TestRotatedCAReplacesNothing(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	s.project.UseExistingCluster(t, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey)
	seen := s.preview()
	require.NoError(t, seen.err)
	rotated := s.mustUp()
	for _, run := range []*result{seen, rotated} {
		assert.Equal(t, []string{"update"}, run.steps["cluster-provider"])
		for _, object := range s.inCluster() {
			assert.NotContains(t, run.changed(), object)
		}
	}
	assert.Empty(t, rotated.actions.names("delete"))
	assert.Empty(t, s.mustUp().changed())
}

// The test follows the advice of the refusal. The state forgets all objects, the old cluster keeps
// them, and the next update creates them in the new cluster.
func TestObjectsAreCreatedInNewClusterAfterStateDelete(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	objects := s.inCluster()
	asked := s.stored()[identity].Inputs["stdin"].StringValue()
	assert.Contains(t, asked, "pulumi state delete --target-dependents '"+
		string(s.stored()[identity].URN)+"'")
	require.NoError(t, edit.DeleteResource(s.snapshot, s.stored()[identity], nil, true))
	for _, object := range append(objects, "cluster-provider", "cluster-teardown-guard") {
		assert.NotContains(t, s.stored(), object)
	}
	s.anew()
	s.project.UseExistingCluster(t, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey)
	moved := s.mustUp()
	for _, name := range objects {
		assert.NotNil(t, moved.actions.find("create", name), name)
		assert.Nil(t, moved.actions.find("delete", name), "%s stays in the old cluster", name)
	}
	assert.True(t, moved.actions.before("create", identity, "create", "metallb-namespace"))
	assert.Empty(t, s.mustUp().changed())
}
