package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keepsAStalePod deletes a Pod by scaling, and makes APISIX keep the Pod's address, as users
// reported (apisix-ingress-controller#2708). Only the gate of the upstreams must fail. The others
// stay open: the workload is rolled out, the Gateway is programmed, and the route usually answers.
func (s *stack) keepsAStalePod(t *testing.T, hosts *hostSet) {
	const upstreams = "workload-shop-apisix-upstreams"
	route := strings.TrimSpace(hosts.must("server-1",
		"kubectl -n apps get httproutes -o jsonpath='{.items[0].metadata.name}'"))
	keep := "kubectl -n apps annotate --overwrite httproute " + route +
		" strata.test/keep-upstreams"
	scale := func(replicas string) []string {
		hosts.must("server-1", "kubectl -n apps scale deployment shop --replicas="+replicas)
		s.rolledOut(t, "apps", "shop")
		return strings.Fields(hosts.must("server-1",
			"kubectl -n apps get pods -l app.kubernetes.io/name=shop -o jsonpath='{.items[*].status.podIP}'"))
	}
	before := scale("3")
	s.healthy("--gate", upstreams)
	hosts.must("server-1", keep+"=true")
	after := scale("2")
	gone := slices.DeleteFunc(before, func(address string) bool {
		return slices.Contains(after,
			address)
	})
	require.Len(t, gone, 1)
	s.healthy("--gate", "workload-shop-rollout,workload-shop-apisix,apisix-gateway-gate,apisix-rollout")
	s.unhealthy(t, []string{"--gate", upstreams}, "HTTPRoute apps/"+route+": stale "+gone[0]+":",
		"rollout restart Deployment/apisix-ingress-controller")
	hosts.must("server-1", keep+"-")
	s.healthy("--gate", upstreams)
}
