package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Routes are identified by host and path, so a change of the list must not affect other routes.
func TestRouteIsRemovedOrMovedWithoutChangingOthers(t *testing.T) {
	gates := []string{"workload-shop-rollout", "workload-shop-traefik"}
	first, second := map[string]any{}, map[string]any{"path": "/api"}
	s := withShop(t, false)
	s.shop(map[string]any{"routes": []any{first, second}})
	created := s.mustUp().actions.names("create")
	require.Contains(t, created, "workload-shop-route-shop")

	s.shop(map[string]any{"routes": []any{second, first}})
	swapped := s.mustUp().actions
	assert.ElementsMatch(t, gates, swapped.names("create"), "they run again")
	assert.Empty(t, swapped.names("delete"))

	s.shop(map[string]any{"routes": []any{second}})
	taken := s.mustUp().actions
	assert.Equal(t, []string{"workload-shop-route-shop"}, taken.names("delete"))
	assert.ElementsMatch(t, gates, taken.names("create"))
	assert.False(t, s.here("kubernetes:gateway.networking.k8s.io/v1:HTTPRoute apps/shop"))
	for name, state := range s.stored() {
		if strings.HasPrefix(name, "workload-shop-route-") {
			assert.True(t, s.here(objectOf(state.URN, state.Inputs)),
				"%s is in the state and not in the cluster", name)
		}
	}
	assert.Empty(t, s.mustUp().changed())
}
