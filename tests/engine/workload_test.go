package engine_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

const shopSecret = "hunter2-of-the-shop"

// withShop returns stack local with workload shop, which is not deployed yet.
func withShop(t *testing.T, immutable bool) *stack {
	t.Helper()
	s := newStack(t, "local")
	s.shop(map[string]any{"immutableConfig": immutable})
	return s
}

// shop configures workload shop, with some keys changed.
func (s *stack) shop(changed map[string]any) {
	fields := map[string]any{
		"name": "shop", "image": "docker.io/acme/shop:1.2.3", "certificate": map[string]any{},
		"routes":    []any{map[string]any{}},
		"files":     map[string]any{"/etc/shop/config.yaml": "a: b\n"},
		"secretEnv": map[string]any{"TOKEN": shopSecret},
	}
	for key, value := range changed {
		fields[key] = value
	}
	s.set("apps", "workloads", []any{fields})
}

func TestUnchangedWorkloadIsNotUpdated(t *testing.T) {
	s := withShop(t, false)
	seen := s.preview() // the key of the hash is unknown in the first preview
	require.NoError(t, seen.err)
	assert.Equal(t, []string{"create"}, seen.steps["workload-shop-deployment"])
	s.mustUp()
	seen = s.preview()
	require.NoError(t, seen.err)
	assert.Empty(t, seen.changed(), "preview")
	assert.Empty(t, s.mustUp().changed(), "up")
}

// Pods that read a changed file are replaced after the file's ConfigMap has changed. Then their
// gates run again.
func TestChangedConfigurationReplacesPods(t *testing.T) {
	s := withShop(t, false)
	s.mustUp()
	s.shop(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: c\n"}})
	did := s.mustUp().actions
	assert.ElementsMatch(t, []string{"workload-shop-files", "workload-shop-deployment"},
		did.names("update"))
	assert.ElementsMatch(t, []string{"workload-shop-rollout", "workload-shop-traefik"},
		did.names("create"), "each runs again")
	assert.Empty(t, did.names("delete"))
	assert.True(t, did.before("update", "workload-shop-files", "update",
		"workload-shop-deployment"))
	assert.True(t, did.before("update", "workload-shop-deployment", "create",
		"workload-shop-rollout"))
}

func TestPodsStartOnlyAfterTheirCertificate(t *testing.T) {
	s := withShop(t, false)
	s.fail("create", "workload-shop-tls-gate")
	r := s.up()
	require.Error(t, r.err)
	assert.Nil(t, r.actions.find("create", "workload-shop-deployment"))
	assert.NotNil(t, r.actions.find("create", "workload-shop-service"),
		"what needs no certificate does not wait for it")
	s.heal("create", "workload-shop-tls-gate")
	assert.NotNil(t, s.mustUp().actions.find("create", "workload-shop-deployment"))
}

func TestWorkloadSecretsAreSecretInState(t *testing.T) {
	s := withShop(t, true)
	s.mustUp()
	for name, state := range s.stored() {
		if !strings.HasPrefix(name, "workload") {
			continue
		}
		for what, values := range map[string]resource.PropertyMap{"inputs": state.Inputs, "outputs": state.Outputs} {
			for _, text := range []string{shopSecret, pulumitest.Token} {
				assert.Empty(t, pulumitest.FindPlain(what, resource.NewProperty(values),
					text), name)
			}
		}
	}
}

func TestRemovedWorkloadLeavesNoResources(t *testing.T) {
	s := withShop(t, false)
	s.mustUp()
	s.set("apps", "workloads", []any{})
	did := s.mustUp().actions
	assert.Contains(t, did.names("delete"), "workload-shop-deployment")
	for name := range s.stored() {
		assert.False(t, strings.HasPrefix(name, "workload"), name)
	}
}

// A version that fails its canary must not affect the serving version. The canary of the next
// version must run before that version's rollout.
func TestVersionThatFailsCanaryIsNotRolledOut(t *testing.T) {
	s := withShop(t, false)
	version := func(tag string) {
		s.shop(map[string]any{"image": "docker.io/acme/shop:" + tag, "canary": map[string]any{}})
	}
	version("1")
	s.mustUp()
	version("2")
	s.fail("update", "workload-shop-canary")
	r := s.up()
	require.Error(t, r.err)
	assert.NotNil(t, r.actions.find("update", "workload-shop-canary-deployment"))
	assert.Nil(t, r.actions.find("update", "workload-shop-deployment"))
	s.heal("update", "workload-shop-canary")
	version("3")
	did := s.mustUp().actions
	assert.True(t, did.before("create", "workload-shop-canary-rollout", "update",
		"workload-shop-canary"))
	assert.True(t, did.before("update", "workload-shop-canary", "update",
		"workload-shop-deployment"))
	assert.Empty(t, s.mustUp().changed())
}

// A revert to the serving version needs no canary, but an interrupted canary may have left a
// weight. So the canary runs again, and resets the weight.
func TestRevertAfterFailedCanaryKeepsServingVersion(t *testing.T) {
	s := withShop(t, false)
	s.shop(map[string]any{"canary": map[string]any{}})
	s.mustUp()
	s.shop(map[string]any{"canary": map[string]any{}, "image": "docker.io/acme/shop:bad"})
	s.fail("update", "workload-shop-canary")
	require.Error(t, s.up().err)
	s.heal("update", "workload-shop-canary")
	s.shop(map[string]any{"canary": map[string]any{}})
	did := s.mustUp().actions
	assert.NotNil(t, did.find("update", "workload-shop-canary-deployment"))
	assert.NotNil(t, did.find("update", "workload-shop-canary"))
	assert.Nil(t, did.find("update", "workload-shop-deployment"))
}

// A failed canary may have left a weight. So it runs again even if its version is reverted, and
// resets the weight.
func TestFailedCanaryRunsAgainAfterRevert(t *testing.T) {
	s := newStack(t, "local")
	s.shop(map[string]any{"canary": map[string]any{}})
	s.mustUp()
	s.shop(map[string]any{"canary": map[string]any{}, "image": "docker.io/acme/shop:1.3.0"})
	s.fail("update", "workload-shop-canary")
	require.Error(t, s.up().err)
	s.heal("update", "workload-shop-canary")
	s.shop(map[string]any{"canary": map[string]any{}})
	assert.NotNil(t, s.mustUp().actions.find("update", "workload-shop-canary"))
	assert.Empty(t, s.mustUp().changed())
}
