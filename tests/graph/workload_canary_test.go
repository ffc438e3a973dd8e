package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withCanary is the shop with a canary; its routes have weights only by the Gateway API.
func withCanary(t *testing.T) graph {
	return withWorkload(t, map[string]any{"canary": map[string]any{"steps": []int{10, 50}}, "routes": []any{map[string]any{}}}).graph(t)
}

func TestAllPodsWaitForTheCanary(t *testing.T) {
	g := withCanary(t)
	assert.True(t, g.reaches("workload-shop-deployment", "workload-shop-canary"))
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-canary-rollout"), "it must serve before it is asked")
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-route-shop"), "whose weights it moves")
	assert.True(t, g.reaches("workload-shop-canary-deployment", "workload-shop-tls-gate"))
	stdin := g["workload-shop-canary"].Text("stdin")
	assert.Contains(t, stdin, `"routes":["shop"],"stable":"shop","canary":"shop-canary"`)
	assert.Contains(t, stdin, `"steps":[10,50]`)
	assert.Contains(t, stdin, hash(t, g), "another configuration is another version")
	assert.Contains(t, stdin, `"traefik":{"namespace":"traefik"`)
	assert.NotContains(t, stdin, workloadSecret)
	assert.Equal(t, 1.0, at(t, g["workload-shop-canary-deployment"], "spec", "replicas").NumberValue())
	without := withWorkload(t, nil).graph(t)
	assert.Empty(t, without["workload-shop-canary"].Name)
}

// Both versions have Services of their own, and the new one no request before the command gives it some.
func TestARouteBeginsWithAllRequestsAtTheOldVersion(t *testing.T) {
	g := withCanary(t)
	rule := at(t, g["workload-shop-route-shop"], "spec", "rules", "backendRefs").ArrayValue()
	require.Len(t, rule, 2)
	assert.Equal(t, "shop", rule[0].ObjectValue()["name"].StringValue())
	assert.Equal(t, 100.0, rule[0].ObjectValue()["weight"].NumberValue())
	assert.Equal(t, "shop-canary", rule[1].ObjectValue()["name"].StringValue())
	assert.Zero(t, rule[1].ObjectValue()["weight"].NumberValue())
	for service, pods := range map[string]string{"workload-shop-service": "shop", "workload-shop-canary-service": "shop-canary"} {
		assert.Equal(t, pods, at(t, g[service], "spec", "selector", "app.kubernetes.io/name").StringValue())
	}
	assert.Equal(t, "shop-canary", at(t, g["workload-shop-canary-deployment"], "spec", "template", "metadata", "labels", "app.kubernetes.io/name").StringValue())
}
