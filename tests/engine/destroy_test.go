package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/engine"
	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDestroyUninstallsExistingHostsWithoutDeletingObjects(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.Empty(t, s.stored())

	did := gone.actions
	for _, object := range []string{"metallb-namespace", "metallb-release", "metallb-pool", "metallb-advertisement"} {
		assert.Nil(t, did.find("delete", object), "%s goes with the cluster", object)
	}
	uninstalls := did.ending("delete", "-claim") // its delete uninstalls K3s
	assert.Len(t, uninstalls, 5)
	for _, uninstall := range uninstalls {
		node := strings.TrimSuffix(strings.TrimPrefix(uninstall, "k3s-"), "-claim")
		for _, earlier := range []string{"k3s-" + node + "-gate", "k3s-" + node + "-install",
			"k3s-" + node + "-binary", "k3s-nodes", "k3s-api", "metallb-pool-gate"} {
			assert.True(t, did.before("delete", earlier, "delete", uninstall), "%s after %s",
				earlier, uninstall)
		}
		assert.True(t, did.before("delete", uninstall, "delete", "hosts-"+node+"-gate"), uninstall)
		assert.True(t, did.before("delete", uninstall, "delete", "hosts-"+node+"-hostkey"),
			"the key is needed to connect")
	}
}

func TestDestroyOfMachinesRunsNoCommandsOnThem(t *testing.T) {
	s := newStack(t, "proxmox")
	s.mustUp()
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.Empty(t, s.stored())
	assert.Len(t, gone.actions.ending("delete", "-vm"), 5)
	for _, action := range []string{"-install", "-claim", "-binary", "-installer"} {
		assert.Empty(t, gone.actions.ending("delete", action))
	}
	assert.Empty(t, gone.actions.ending("delete", "metallb-release"))
}

func TestDestroySucceedsWithDeadMachine(t *testing.T) {
	s := newStack(t, "proxmox")
	s.mustUp()
	for name := range s.stored() {
		// These resources have no command on the machine: they delete the machine, or only a value
		// in the state.
		own := strings.TrimPrefix(name, "hosts-agent-1-")
		isLocal := slices.Contains([]string{"vm", "vm-attempt", "recreated", "identity"}, own)
		if strings.Contains(name, "-agent-1-") && !isLocal || strings.HasPrefix(name, "metallb-") {
			s.fail("delete", name)
		}
	}
	// Gates that observe the whole cluster have no delete command that could fail.
	for _, gate := range []string{"metallb-webhook", "metallb-rollout", "metallb-pool-gate"} {
		s.heal("delete", gate)
	}
	for _, object := range []string{"crds-gateway-api", "cert-manager-release", "ca-root",
		"traefik-release", "traefik-gateway", "argocd-route"} {
		s.fail("delete", object)
	}
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}

// With --run-program, the engine runs the program to learn which resources to destroy.
func TestDestroySucceedsWithRunProgram(t *testing.T) {
	for _, name := range []string{"local", "staging"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			require.NoError(t, s.run(engine.DestroyV2, false).err)
			assert.Empty(t, s.stored())
		})
	}
}

// A failed uninstall keeps an existing host in the state, until it succeeds or a user removes the
// host from the state.
func TestDestroyFailsOnDeadHostAndNextDestroyContinues(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.fail("delete", "k3s-agent-1-claim")
	failed := s.destroy()
	require.Error(t, failed.err)
	assert.Contains(t, toldAbout(failed, "k3s-agent-1-claim"), "made to fail")
	assert.Contains(t, s.stored(), "k3s-agent-1-claim")
	assert.Contains(t, s.stored(), "hosts-agent-1-hostkey", "the key to come back with")
	assert.NotContains(t, s.stored(), "metallb-release")

	s.heal("delete", "k3s-agent-1-claim")
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}

const guard = "k3s-teardown-guard"

// Strata's guard must refuse first, because Pulumi checks its own protection only when it reaches a
// resource. By then, with --skip-preview, dependents are already deleted.
func TestRefusedDestroyDeletesNothing(t *testing.T) {
	for _, name := range []string{"staging", "local", "proxmox"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, name)
			s.mustUp()
			before := s.stored()
			s.fail("delete", guard)
			refused := s.destroy()
			require.Error(t, refused.err)
			assert.Contains(t, toldAbout(refused, guard), "made to fail")
			assert.Equal(t, []string{guard}, refused.actions.names("delete"))
			assert.Len(t, s.stored(), len(before))

			s.heal("delete", guard)
			gone := s.destroy()
			require.NoError(t, gone.err)
			for _, other := range gone.actions.names("delete") {
				assert.True(t, other == guard ||
					gone.actions.before("delete", guard, "delete", other), other)
			}
		})
	}
}

// A state may lack the last guard, as after a failed first update. An update adds it without any
// other change, and a destroy succeeds without it.
func TestUpdateCreatesMissingLastGuardAndChangesNoOtherResource(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.forget(guard)
	did := s.mustUp()
	assert.Equal(t, map[string][]string{guard: {"create"}}, did.changed())
	assert.Empty(t, s.mustUp().changed())

	s.forget(guard)
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}

// The guard's input is stored in the state, so a destroy uses the value of the last update. A
// change of the value updates no other resource.
func TestProtectChangeUpdatesOnlyGuards(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	asked := func() string { return s.stored()[guard].Inputs["stdin"].StringValue() }
	assert.NotContains(t, asked(), "protected")
	s.set("k3s", "protect", true)
	assert.Equal(t, map[string][]string{guard: {"update"}, firstGuard: {"update"}},
		s.mustUp().changed())
	assert.Contains(t, asked(), `"protected":["strata:k3s.protect"]`)
}

// forget removes resources from the state.
func (s *stack) forget(names ...string) {
	s.snapshot.Resources = slices.DeleteFunc(slices.Clone(s.snapshot.Resources),
		func(one *pkgresource.State) bool {
			return slices.Contains(names, one.URN.Name())
		})
}
