package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keepsAStalePod has APISIX keep an address of a Pod that is gone, as its controllers before 2.2.0 did. Every other gate is open meanwhile: the
// workload is rolled out, the Gateway is programmed, and the route answers, now by a Pod that is there and now by none.
func (s *stack) keepsAStalePod(t *testing.T, hosts *lent) {
	const upstreams = "workload-shop-apisix-upstreams"
	route := strings.TrimSpace(hosts.must("server-1", "kubectl -n apps get httproutes -o jsonpath='{.items[0].metadata.name}'"))
	keep := "kubectl -n apps annotate --overwrite httproute " + route + " strata.test/keep-upstreams"
	pod := strings.Fields(hosts.must("server-1", `kubectl -n apps get pods -l app.kubernetes.io/name=shop -o jsonpath='{range .items[*]}{.metadata.name} {.status.podIP}{"\n"}{end}'`))
	require.GreaterOrEqual(t, len(pod), 4, "two Pods, so that the route answers")
	name, address := pod[0], pod[1]
	hosts.must("server-1", keep+"=true")
	hosts.must("server-1", "kubectl -n apps delete pod --wait "+name)
	s.settled(t, "apps", "shop")
	s.must(s.run(strata, "health", "--stack", s.name, "--gate", "workload-shop-rollout,workload-shop-apisix,apisix-gateway-gate,apisix-rollout"))
	stale := s.run(strata, "health", "--stack", s.name, "--gate", upstreams)
	require.Error(t, stale.err, "%s", stale.output)
	assert.Contains(t, stale.output, "HTTPRoute apps/"+route+": stale "+address+":")
	assert.Contains(t, stale.output, "rollout restart Deployment/apisix-ingress-controller")
	hosts.must("server-1", keep+"-")
	s.must(s.run(strata, "health", "--stack", s.name, "--gate", upstreams, "--timeout", "1m"))
}
