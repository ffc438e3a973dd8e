package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/components"
	"strata/platform"
)

// adopting makes the stack use the program that Pulumi runs, with a hook before each change. The
// hook refuses objects in foreign, and deletes a release that a killed run left.
func (s *stack) adopting(foreign ...string) {
	s.registers = platform.Program{Connect: func(
		kubeconfig string, _ []string,
	) (components.Before, error) {
		if !strings.Contains(kubeconfig, "server: https://") {
			return nil, errors.New("no kubeconfig")
		}
		return func(_ context.Context, change components.Change, _ func(string)) error {
			object := objectOf(resource.NewURN("stack", "strata", "",
				tokens.Type(change.Token), "x"),
				resource.NewPropertyMapFromMap(change.Inputs))
			for _, one := range foreign {
				if object == one && !change.Known {
					return fmt.Errorf("%s is another program's", object)
				}
			}
			if change.Token == releaseType && !change.Known {
				s.gone(object)
			}
			return nil
		}, nil
	}}.Run
}

// killAt changes the state to that after a kill during the create of the resource at index. The
// state keeps only the resources before it and the pending create. The cluster keeps all objects.
func (s *stack) killAt(index int) (killed string) {
	resources := s.snapshot.Resources
	pending := resources[index]
	s.snapshot.Resources = resources[:index]
	s.snapshot.PendingOperations = []pkgresource.Operation{
		pkgresource.NewOperation(pending, pkgresource.OperationTypeCreating)}
	return pending.URN.Name()
}

// inClusterFrom returns the index of the first resource that is an object in the cluster.
func (s *stack) inClusterFrom() int {
	for i, state := range s.snapshot.Resources {
		if strings.HasPrefix(string(state.Type), "kubernetes:") {
			return i
		}
	}
	s.t.Fatal("nothing in the cluster")
	return 0
}

func TestKilledUpdatesConvergeWhileClusterIsAlive(t *testing.T) {
	const seed, kills = 16, 12
	random := rand.New(rand.NewPCG(seed, 0))
	s := newStack(t, "local")
	s.adopting()
	s.mustUp()
	from := s.inClusterFrom()
	for range kills {
		killed := s.killAt(from + random.IntN(len(s.snapshot.Resources)-from))
		up := s.up()
		require.NoError(t, up.err, "killed at %s: %v", killed, up.errors)
		assert.Empty(t, s.mustUp().changed(), "killed at %s", killed)
	}
}

// Without the hook, the first existing object fails the update. This shows that
// TestKilledUpdatesConvergeWhileClusterIsAlive can fail.
func TestUpdateFailsOnExistingObjectWithoutAdoptHook(t *testing.T) {
	s := newStack(t, "local")
	s.mustUp()
	s.killAt(s.inClusterFrom())
	require.Error(t, s.up().err)
}

// A destroy that is interrupted before the machines are deleted leaves a running cluster. The next
// update must keep its token and identity.
func TestUpdateRestoresStackAfterInterruptedDestroy(t *testing.T) {
	for name, last := range map[string]string{"proxmox": "hosts-server-1-vm", "staging": "k3s-server-1-claim"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.adopting()
			s.mustUp()
			s.fail("delete", last)
			require.Error(t, s.destroy().err)
			require.Contains(t, s.stored(), "k3s-token",
				"a living server does not start with another")
			require.Contains(t, s.stored(), "k3s-cluster")
			assert.Empty(t, s.inCluster())
			s.heal("delete", last)
			s.mustUp()
			assert.Empty(t, s.mustUp().changed())
			gone := s.destroy()
			require.NoError(t, gone.err)
			assert.Empty(t, s.stored())
			for _, kept := range []string{"k3s-token", "k3s-cluster"} {
				assert.True(t, gone.actions.before("delete", last, "delete", kept),
					"%s is forgotten while %s lives", kept, last)
			}
		})
	}
}

// A destroy that is interrupted while it deletes machines has removed everything on them from the
// state. So the next update must inspect the remaining machines before it changes them.
func TestUpdateInspectsMachinesAfterInterruptedDestroy(t *testing.T) {
	s := newStack(t, "proxmox")
	s.adopting()
	s.mustUp()
	const last = "hosts-server-1-vm"
	s.fail("delete", last)
	require.Error(t, s.destroy().err)
	require.Contains(t, s.stored(), last)
	for left := range s.stored() {
		assert.NotRegexp(t, "-(gate|boot|install|present|leaving)$", left)
	}
	s.heal("delete", last)
	did := s.mustUp().actions
	assert.Nil(t, did.find("create", last))
	assert.True(t, did.before("create", "hosts-leaving", "create", "hosts-server-1-present"))
	assert.True(t, did.before("create", "hosts-server-1-present", "create", "hosts-server-1-boot"))
	s.node("agent-1")["labels"] = map[string]any{"a": "b"}
	did = s.mustUp().actions
	assert.Empty(t, append(did.ending("create", "-present"), did.ending("update", "-present")...))
}

func TestUpdateFailsOnNamespaceOfAnotherProgram(t *testing.T) {
	s := newStack(t, "local")
	s.adopting("kubernetes:core/v1:Namespace /metallb-system")
	failed := s.up()
	require.Error(t, failed.err)
	assert.Contains(t, toldAbout(failed, "metallb-namespace"), "another program's")
	assert.NotContains(t, s.stored(), "metallb-namespace")
}

// The first update with the hook must only change a setting of the provider. It must not recreate
// or change objects in the cluster.
func TestUpdateOfStateWithoutAdoptHookChangesOnlyProvider(t *testing.T) {
	s := newStack(t, "local")
	s.mustUp()
	s.adopting()
	changed := s.mustUp().changed()
	assert.Equal(t, map[string][]string{"k3s-provider": {"update"}}, changed)
	assert.Empty(t, s.mustUp().changed())
}
