package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withFile is the shop's configuration file with immutable objects.
func withFile(text string) map[string]any {
	return map[string]any{"immutableConfig": true, "files": map[string]any{"/etc/shop/config.yaml": text}}
}

// A configuration that fails leaves its objects and those of before. Going back makes new ones, which are of nobody else, and takes
// away both.
func TestGoingBackAfterAFailedConfigurationWorks(t *testing.T) {
	s := newStack(t, "local")
	s.shop(withFile("a: good"))
	s.mustUp()
	s.shop(withFile("a: bad"))
	s.fail("update", "workload-shop-rollout")
	for range 2 {
		require.Error(t, s.up().err)
		assert.Len(t, s.configMaps(), 2, "Pods of the old revision have theirs")
	}
	s.heal("update", "workload-shop-rollout")
	s.shop(withFile("a: good"))
	did := s.mustUp().actions
	assert.True(t, did.before("update", "workload-shop-deployment", "update", "workload-shop-rollout"))
	assert.True(t, did.before("update", "workload-shop-rollout", "delete", "workload-shop-files"))
	kept := s.stored()["workload-shop-files"]
	assert.Equal(t, []string{objectOf(kept.URN, kept.Inputs)}, s.configMaps())
	assert.Empty(t, s.mustUp().changed())
}

// configMaps are those that the cluster has of the workloads.
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
