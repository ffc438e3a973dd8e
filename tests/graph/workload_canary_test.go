package graph_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/cluster/canary"
)

// withCanary returns the graph of a shop with a canary. Its routes are HTTPRoutes, because only
// these have weights.
func withCanary(t *testing.T) graph {
	return withWorkload(t,
		map[string]any{"canary": map[string]any{"steps": []int{10, 50}},
			"routes": []any{map[string]any{}}}).graph(t)
}

func TestAllPodsWaitForCanary(t *testing.T) {
	g := withCanary(t)
	assert.True(t, g.reaches("workload-shop-deployment", "workload-shop-canary"))
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-canary-rollout"),
		"it must serve before it is asked")
	assert.True(t, g.reaches("workload-shop-canary", "workload-shop-route-shop"),
		"whose weights it moves")
	assert.True(t, g.reaches("workload-shop-canary-deployment", "workload-shop-tls-gate"))
	stdin := g["workload-shop-canary"].Text("stdin")
	assert.Contains(t, stdin, `"routes":["shop"],"stable":"shop","canary":"shop-canary"`)
	assert.Contains(t, stdin, `"steps":[10,50]`)
	assert.Contains(t, stdin, hash(t, g), "another configuration is another version")
	assert.Contains(t, stdin, `"metrics":[{"namespace":"traefik"`)
	assert.NotContains(t, stdin, `"namespace":"apisix"`)
	assert.NotContains(t, stdin, workloadSecret)
	assert.Equal(t, 1.0, at(t, g["workload-shop-canary-deployment"], "spec",
		"replicas").NumberValue())
	assert.Empty(t, g["workload-shop-canary-budget"].Name)
	without := withWorkload(t, nil).graph(t)
	assert.Empty(t, without["workload-shop-canary"].Name)
}

// The two versions have their own Services. The new version gets no request before the canary
// command changes the weights.
func TestCanaryRouteStartsWithAllRequestsAtOldVersion(t *testing.T) {
	g := withCanary(t)
	rule := at(t, g["workload-shop-route-shop"], "spec", "rules", "backendRefs").ArrayValue()
	require.Len(t, rule, 2)
	assert.Equal(t, "shop", rule[0].ObjectValue()["name"].StringValue())
	assert.Equal(t, 100.0, rule[0].ObjectValue()["weight"].NumberValue())
	assert.Equal(t, "shop-canary", rule[1].ObjectValue()["name"].StringValue())
	assert.Zero(t, rule[1].ObjectValue()["weight"].NumberValue())
	for service, pods := range map[string]string{"workload-shop-service": "shop",
		"workload-shop-canary-service": "shop-canary"} {
		assert.Equal(t, pods, at(t, g[service], "spec", "selector",
			"app.kubernetes.io/name").StringValue())
	}
	assert.Equal(t, "shop-canary",
		at(t, g["workload-shop-canary-deployment"], "spec", "template", "metadata", "labels",
			"app.kubernetes.io/name").StringValue())
}

// With both ingress controllers, the canary counts the requests of both. APISIX's metrics name the
// route and not the backend, so the canary counts APISIX's requests by Pod.
func TestCanaryReadsMetricsOfBothIngressControllers(t *testing.T) {
	g := withRoutes(t, map[string]any{"name": "shop", "canary": map[string]any{}, "routes": []any{
		map[string]any{}, map[string]any{"controller": "apisix", "kind": "HTTPRoute"},
	}})
	var asked canary.Spec
	require.NoError(t, json.Unmarshal([]byte(g["workload-shop-canary"].Text("stdin")), &asked))
	require.Len(t, asked.Metrics, 2)
	assert.Equal(t, canary.Metrics{
		Namespace: "apisix", Selector: "app.kubernetes.io/name=apisix", Port: 9091,
		Path:    "/apisix/prometheus/metrics",
		Counter: "apisix_http_status", Label: "node", ByPod: true,
		Age: metav1.Duration{Duration: 15 * time.Second},
	}, asked.Metrics[0])
	assert.Equal(t, "traefik_service_requests_total", asked.Metrics[1].Counter)
	assert.Len(t, asked.Routes, 2)
	assert.Equal(t, 15*time.Second, asked.Age())
	const steps, grace, ways = 2 * 3 * 4 * (30 + 15) * time.Second, 55 * time.Second,
		2 * time.Minute
	assert.Equal(t, steps+grace+ways, asked.Timeout.Duration,
		"twice what three steps may take, what Pods of the version before have, the way there and back")
	for _, route := range routesOf(g, "HTTPRoute") {
		assert.True(t, g.reaches("workload-shop-canary", route), "whose weights it moves")
	}
}

// If the last Pod of the canary is evicted, APISIX also fails requests of the old version. So a
// disruption budget must keep one.
func TestAPISIXCanaryKeepsOnePodDuringDrain(t *testing.T) {
	g := withRoutes(t,
		map[string]any{"name": "shop", "canary": map[string]any{},
			"routes": []any{map[string]any{"controller": "apisix", "kind": "HTTPRoute"}}})
	assert.Equal(t, 2.0, at(t, g["workload-shop-canary-deployment"], "spec",
		"replicas").NumberValue())
	budget := g["workload-shop-canary-budget"]
	assert.Equal(t, 1.0, at(t, budget, "spec", "maxUnavailable").NumberValue())
	assert.Equal(t, "shop-canary",
		at(t, budget, "spec", "selector", "matchLabels", "app.kubernetes.io/name").StringValue())
}
