package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// inCluster are the resources in the state that a cluster holds.
func (s *stack) inCluster() []string {
	var names []string
	for name, state := range s.stored() {
		if strings.HasPrefix(string(state.Type), "kubernetes:") {
			names = append(names, name)
		}
	}
	return names
}

// What a stack put into an existing cluster is deleted by the stack only; in one of ours it goes with the machines.
func TestADestroyDeletesEachObjectInAnExistingCluster(t *testing.T) {
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
		{"metallb-pool", "metallb-release"}, {"metallb-advertisement", "metallb-pool"}, {"metallb-release", "metallb-namespace"},
		{"traefik-gateway", "traefik-release"}, {"authority-issuer", "cert-manager-release"}, {"argocd-route", "argocd-release"},
	} {
		assert.True(t, gone.actions.before("delete", pair[0], "delete", pair[1]), "%s lives on without %s", pair[0], pair[1])
	}

	ours := newStack(t, "local")
	ours.mustUp()
	spared := ours.destroy()
	require.NoError(t, spared.err)
	for _, name := range objects {
		assert.Nil(t, spared.actions.find("delete", name), "%s goes with the cluster", name)
	}
}

func TestAnObjectThatAnExistingClusterKeepsFailsTheDestroyAndTheNextOneGoesOn(t *testing.T) {
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

func TestASecondUpOnAnExistingClusterChangesNothing(t *testing.T) {
	s := newStack(t, "kind")
	seen := s.preview()
	require.NoError(t, seen.err)
	assert.Empty(t, seen.actions)
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
}

// kind renews certificates once a year, others a token every hour.
func TestARenewedCredentialReplacesNothing(t *testing.T) {
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

// A cluster that was made anew under its old name has none of the objects.
func TestAnotherClusterUnderTheSameNameGetsEveryObject(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	objects := s.inCluster()
	s.anew()
	s.project.UseExistingCluster(t, "YW5vdGhlciBhdXRob3JpdHk=", pulumitest.ClientKey)
	moved := s.mustUp()
	for _, name := range objects {
		assert.NotNil(t, moved.actions.find("create", name), name)
	}
	assert.NotNil(t, moved.actions.find("create", "cluster-api"), "it is looked at before")
	assert.True(t, moved.actions.before("create", "cluster-api", "create", "metallb-namespace"))
}
