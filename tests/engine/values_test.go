package engine_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// named returns the names of the changed resources.
func (r *result) named() []string { return slices.Sorted(maps.Keys(r.changed())) }

func TestChangedChartValuesRunReleaseAndGatesOnce(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	touched := []string{"argocd-server", "traefik-address", "traefik-dashboard",
		"traefik-programmed",
		"traefik-release", "traefik-rollout"}
	for _, level := range []string{"DEBUG", "INFO"} {
		s.set("traefik", "values", section{"log": section{"level": level}})
		seen := s.preview()
		require.NoError(t, seen.err)
		assert.Equal(t, touched, seen.named())
		did := s.mustUp()
		assert.Equal(t, touched, did.named())
		assert.Equal(t, []string{"update"}, did.steps["traefik-release"])
		assert.Empty(t, s.mustUp().changed())
	}
	delete(s.config["strata:traefik"], "values")
	assert.Equal(t, touched, s.mustUp().named())
	assert.Empty(t, s.mustUp().changed())
}

// Values that block all requests leave the Pods ready, so the rollout gate passes and the gate of
// Traefik's URLs fails. After a revert, that gate must run again.
func TestRevertedChartValuesRunFailedURLGateAgain(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.set("traefik", "values",
		section{
			"ports": section{
				"websecure": section{"http": section{
					"middlewares": []any{"traefik-deny@kubernetescrd"}}}}})
	s.fail("create", "traefik-dashboard")
	require.Error(t, s.up().err)
	s.heal("create", "traefik-dashboard")
	delete(s.config["strata:traefik"], "values")
	assert.NotNil(t, s.mustUp().actions.find("create", "traefik-dashboard"))
	assert.Empty(t, s.mustUp().changed())
}

// After a failed gate, a revert of the change must run the gate again.
func TestRevertedChartValuesRunFailedRolloutGateAgain(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.set("traefik", "values", section{"image": section{"tag": "not-there"}})
	s.fail("create", "traefik-rollout")
	require.Error(t, s.up().err)
	s.heal("create", "traefik-rollout")
	delete(s.config["strata:traefik"], "values")
	did := s.mustUp()
	assert.NotNil(t, did.actions.find("update", "traefik-release"))
	assert.NotNil(t, did.actions.find("create", "traefik-rollout"))
	assert.Empty(t, s.mustUp().changed())
}

// A new Pod of Vault starts sealed. The steps that unseal Vault must run again, with the old keys.
func TestChangedVaultValuesRunUnsealAgain(t *testing.T) {
	s := newStack(t, "staging")
	s.set("certManager", "issuer", "vault")
	s.mustUp()
	keys := s.stored()["vault-init"].Outputs["stdout"]
	s.set("vault", "values", section{"server": section{"logLevel": "debug"}})
	did := s.mustUp()
	for _, name := range []string{"vault-release", "vault-init", "vault-configure", "vault-gate"} {
		assert.Contains(t, did.changed(), name)
	}
	assert.Equal(t, []string{"update"}, did.steps["vault-init"], "in its place")
	assert.True(t, keys.DeepEquals(s.stored()["vault-init"].Outputs["stdout"]))
	assert.Empty(t, s.mustUp().changed())
}

// Chart values that contain a secret are encrypted in the state. The triggers of the chart's gates
// depend on the values, but must not contain the secret.
func TestSecretValuesStaySecretInState(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	s.secret = []string{"strata:traefik"}
	for _, token := range []string{"hunter2", "hunter3"} {
		s.set("traefik", "values", section{"env": []any{section{"name": "TOKEN", "value": token}}})
		did := s.mustUp()
		for _, name := range []string{"traefik-release", "traefik-rollout", "traefik-address",
			"traefik-values-attempt"} {
			assert.Contains(t, did.changed(), name, token)
		}
		assert.Empty(t, s.mustUp().changed(), token)
		for name, state := range s.stored() {
			for kind, values := range map[string]resource.PropertyMap{"input": state.Inputs, "output": state.Outputs} {
				for key, value := range values {
					assert.Empty(t, pulumitest.FindPlain(kind+" "+string(key), value, token), name)
				}
			}
		}
		assert.True(t, pulumitest.Contains(
			resource.NewProperty(s.stored()["traefik-release"].Inputs), token))
	}
}
