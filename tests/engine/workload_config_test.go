package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withFile returns settings of workload shop: a configuration file in an immutable ConfigMap.
func withFile(text string) map[string]any {
	return map[string]any{"immutableConfig": true,
		"files": map[string]any{"/etc/shop/config.yaml": text}}
}

// A failed change leaves the new ConfigMap beside the old one. A revert creates the old content
// under a new name, and deletes both.
func TestRevertAfterFailedConfigurationRestoresConfigMap(t *testing.T) {
	s := newStack(t, "local")
	s.shop(withFile("a: good"))
	s.mustUp()
	s.shop(withFile("a: bad"))
	s.fail("create", "workload-shop-rollout")
	for range 2 {
		require.Error(t, s.up().err)
		assert.Len(t, s.configMaps(), 2, "Pods of the old revision have theirs")
	}
	s.heal("create", "workload-shop-rollout")
	s.shop(withFile("a: good"))
	did := s.mustUp().actions
	assert.True(t, did.before("update", "workload-shop-deployment", "create",
		"workload-shop-rollout"))
	assert.True(t, did.before("create", "workload-shop-rollout", "delete", "workload-shop-files"))
	kept := s.stored()["workload-shop-files"]
	assert.Equal(t, []string{objectOf(kept.URN, kept.Inputs)}, s.configMaps())
	assert.Empty(t, s.mustUp().changed())
}

// If the ConfigMap changes in place, a revert restores it, but Pods may have reacted to the change.
// So the rollout gate must run again.
func TestRevertedConfigurationRunsRolloutGateAgain(t *testing.T) {
	s := newStack(t, "local")
	s.shop(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: good"}})
	s.mustUp()
	s.shop(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: bad"}})
	s.fail("create", "workload-shop-rollout")
	assert.Contains(t, toldAbout(s.up(), "workload-shop-rollout"), "made to fail")
	s.heal("create", "workload-shop-rollout")
	s.shop(map[string]any{"files": map[string]any{"/etc/shop/config.yaml": "a: good"}})
	assert.True(t, s.mustUp().actions.before("update", "workload-shop-deployment", "create",
		"workload-shop-rollout"))
	assert.Empty(t, s.mustUp().changed())
}

// configMaps returns the workloads' ConfigMaps in the cluster.
func (s *stack) configMaps() []string {
	var names []string
	for object := range s.objects {
		if strings.HasPrefix(object, "kubernetes:core/v1:ConfigMap apps/") {
			names = append(names, object)
		}
	}
	slices.Sort(names)
	return names
}
