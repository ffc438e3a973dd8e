package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/teardown"
	"strata/platform"
)

const firstGuard = "k3s-teardown-first"

// withTeam returns a stack with its own Vault, and with a workload in its own namespace.
func withTeam(t *testing.T) *stack {
	t.Helper()
	s := newStack(t, "staging")
	s.config["strata:apps"] = section{
		"workloads": []any{
			map[string]any{"name": "shop", "namespace": "team-a", "image": "docker.io/acme/shop:1",
				"replicas": 2}}}
	s.set("certManager", "issuer", "vault")
	s.mustUp()
	return s
}

// guarded returns the input and the last output of a guard.
func (s *stack) guarded(t *testing.T, name string) (asked teardown.Guard,
	printed teardown.Objects) {
	t.Helper()
	state := s.stored()[name]
	require.NoError(t, json.Unmarshal([]byte(state.Inputs["stdin"].StringValue()), &asked))
	require.NoError(t, json.Unmarshal([]byte(state.Outputs["stdout"].StringValue()), &printed))
	return asked, printed
}

// leaving has changes that remove a part of the platform in which others may have objects.
var leaving = map[string]func(s *stack){
	"the last workload of a namespace": func(s *stack) { s.set("apps", "workloads", []any{}) },
	"the stack's own Vault": func(s *stack) {
		s.set("certManager", "issuer",
			"selfSigned")
	},
	"Argo CD": func(s *stack) { s.set("argocd", "enabled", false) },
}

// The engine deletes after all updates. The first guard checks before any layer changes. The last
// guard checks again before the first delete, because a failed run leaves its deletes to another.
func TestGuardsCheckRemovalsBeforeChangesAndBeforeDeletes(t *testing.T) {
	for name, change := range leaving {
		t.Run(name, func(t *testing.T) {
			s := withTeam(t)
			change(s)
			did := s.mustUp().actions
			deletes := did.names("delete")
			require.NotEmpty(t, deletes)
			assert.True(t, did.before("update", firstGuard, "update", guard))
			for _, object := range deletes {
				assert.True(t, did.before("update", guard, "delete", object), object)
			}
			assert.Empty(t, s.mustUp().changed())
		})
	}
}

func TestRefusedUpdateDeletesNothing(t *testing.T) {
	for name, change := range leaving {
		for _, refuses := range []string{firstGuard, guard} {
			for _, goesOn := range []bool{false, true} {
				t.Run(name+"/"+refuses, func(t *testing.T) {
					s := withTeam(t)
					before := s.stored()
					change(s)
					s.fail("update", refuses)
					s.goesOn(goesOn)
					refused := s.up()
					require.Error(t, refused.err)
					assert.Contains(t, toldAbout(refused, refuses), "made to fail")
					assert.Empty(t, refused.actions.names("delete"),
						"continue on error: %v", goesOn)
					for object := range before {
						assert.Contains(t, s.stored(), object)
					}
					if refuses == firstGuard {
						for _, changed := range refused.actions.names("update") {
							assert.Equal(t, firstGuard, changed)
						}
					}
					s.heal("update", refuses)
					s.goesOn(false)
					assert.NotEmpty(t, s.mustUp().actions.names("delete"))
				})
			}
		}
	}
}

// With --continue-on-error, the engine skips the dependents of a failed step but still runs
// deletes.
func TestContinueOnErrorDeletesNothingIfGuardIsSkipped(t *testing.T) {
	s := withTeam(t)
	leaving["Argo CD"](s)
	s.set("k3s", "tlsSANs", []string{"api.example.org"})
	s.fail("create", "k3s-server-1-gate")
	s.goesOn(true)
	failed := s.up()
	require.Error(t, failed.err)
	assert.NotContains(t, failed.actions.names("update"), firstGuard)
	assert.Empty(t, failed.actions.names("delete"))
}

// A reverted change needs no check, because the failed guard's output in the state is still that of
// the old configuration.
func TestRevertAfterRefusedUpdateChangesNothing(t *testing.T) {
	s := withTeam(t)
	whole := s.config["strata:apps"]["workloads"]
	leaving["the last workload of a namespace"](s)
	s.fail("update", firstGuard)
	require.Error(t, s.up().err)
	s.heal("update", firstGuard)
	s.set("apps", "workloads", whole)
	assert.Empty(t, s.mustUp().changed())
}

// A run that fails after the first guard leaves its deletes to a later run. Others may create
// objects before that run.
func TestGuardChecksDeletesOfFailedUpdateAgain(t *testing.T) {
	s := withTeam(t)
	leaving["the last workload of a namespace"](s)
	s.set("argocd", "values", section{"dex": section{"enabled": true}})
	s.fail("create", "argocd-rollout")
	require.Error(t, s.up().err)
	assert.Contains(t, s.stored(), "workloads-team-a")
	s.heal("create", "argocd-rollout")
	s.fail("update", guard)
	refused := s.up()
	require.Error(t, refused.err)
	assert.Empty(t, refused.actions.names("delete"))
	assert.Contains(t, s.stored(), "workloads-team-a")
}

func TestGuardsListEveryObjectOfStack(t *testing.T) {
	for _, name := range []string{"staging", "kind"} {
		s := newStack(t, name)
		s.mustUp()
		last, first := guard, firstGuard
		if name == "kind" {
			last, first = "cluster-teardown-guard", "cluster-teardown-first"
		}
		asked, printed := s.guarded(t, last)
		again, earlier := s.guarded(t, first)
		assert.Equal(t, asked, again)
		assert.Equal(t, printed, earlier)
		assert.Equal(t, asked.Objects, printed)
		assert.Equal(t, name == "kind", asked.Existing)
		known := 0
		for _, names := range printed {
			known += len(names)
		}
		bundles := len(printed[teardown.KindBundle]) + len(printed[teardown.KindKeptBundle])
		assert.Equal(t, len(s.inCluster()), known-bundles)
		assert.Contains(t, printed["Namespace"], "traefik")
		assert.Contains(t, printed[teardown.KindRelease], "traefik/traefik")
	}
}

func TestDiscardAndProtectSettingsReachGuards(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	s.config["strata:discard"] = section{"namespaces": []string{"team-a"},
		"objects": []string{"ClusterIssuer/strata"}}
	s.set("cluster", "protect", true)
	did := s.mustUp()
	assert.Len(t, did.changed(), 2)
	asked, _ := s.guarded(t, "cluster-teardown-guard")
	assert.Equal(t, teardown.Discard{Namespaces: []string{"team-a"},
		Objects: []string{"ClusterIssuer/strata"}},
		asked.Discard)
	assert.Equal(t, []string{"strata:cluster.protect"}, asked.Protected)
}

func TestPreviewWarnsOfRemovedNamespace(t *testing.T) {
	s := withTeam(t)
	var warned []string
	s.registers = platform.Program{Warn: func(_ *pulumi.Context, message string) error {
		if strings.Contains(message, "leave") {
			warned = append(warned, message)
		}
		return nil
	}}.Run
	require.NoError(t, s.preview().err)
	assert.Empty(t, warned)
	leaving["the last workload of a namespace"](s)
	require.NoError(t, s.preview().err)
	require.Len(t, warned, 1)
	assert.Contains(t, warned[0], "namespace team-a")
}

// On an existing cluster, a destroy deletes the stack's namespaces and the objects of others in
// them. So the guard must refuse before any delete.
func TestRefusedDestroyOnExistingClusterDeletesNothing(t *testing.T) {
	s := newStack(t, "kind")
	s.mustUp()
	before := s.stored()
	const last = "cluster-teardown-guard"
	s.fail("delete", last)
	refused := s.destroy()
	require.Error(t, refused.err)
	assert.Equal(t, []string{last}, refused.actions.names("delete"))
	assert.Len(t, s.stored(), len(before))
	s.heal("delete", last)
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}

// The provider only starts the deletion of a namespace. A later command waits until the namespace
// is gone, and reports what blocks the deletion.
func TestUpdateWaitsForNamespaceTerminationAfterDelete(t *testing.T) {
	for name, change := range leaving {
		t.Run(name, func(t *testing.T) {
			s := withTeam(t)
			change(s)
			did := s.mustUp().actions
			ends := did.ending("delete", "-end")
			require.NotEmpty(t, ends)
			for _, end := range ends {
				assert.True(t, did.before("delete", strings.TrimSuffix(end, "-end"), "delete",
					end), end)
			}
		})
	}
	s := newStack(t, "kind")
	s.mustUp()
	gone := s.destroy()
	require.NoError(t, gone.err)
	assert.True(t, gone.actions.before("delete", "argocd-namespace", "delete",
		"argocd-namespace-end"))
	assert.True(t, gone.actions.before("delete", "argocd-namespace-end", "delete",
		"cluster-teardown-first"))
	ours := newStack(t, "local")
	ours.mustUp()
	spared := ours.destroy()
	require.NoError(t, spared.err)
	assert.Empty(t, spared.actions.ending("delete", "-end"), "they go with the cluster")
}

// A namespace whose deletion blocks has left the state. If its layer is configured again, the layer
// creates the namespace and its objects again.
func TestRestoredLayerRecreatesNamespaceStuckInTermination(t *testing.T) {
	s := withTeam(t)
	whole := s.config["strata:apps"]["workloads"]
	leaving["the last workload of a namespace"](s)
	s.fail("delete", "workloads-team-a-end")
	late := s.up()
	require.Error(t, late.err)
	assert.NotContains(t, s.stored(), "workloads-team-a")
	assert.Contains(t, s.stored(), "workloads-team-a-end", "it is asked again")
	require.Error(t, s.up().err, "until it has ended")

	s.set("apps", "workloads", whole)
	back := s.mustUp().actions
	assert.True(t, back.before("update", firstGuard, "create", "workloads-team-a"),
		"which refuses while it is being deleted")
	s.heal("delete", "workloads-team-a-end")
	assert.Empty(t, s.mustUp().changed())
	leaving["the last workload of a namespace"](s)
	s.mustUp()
	assert.NotContains(t, s.stored(), "workloads-team-a-end")
}
