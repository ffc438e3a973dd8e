package main

import (
	"fmt"

	"strata/tests/lab/tools/apisix/admin"
)

// defaultWeight is a backend's without one, among several (api/v2/shared_types.go). The API server writes 1 into an HTTPRoute.
const defaultWeight = 100

// backends gives a route its upstream, and returns those of the backends after the first. It does what the original does
// (internal/adc/translator/httproute.go, TranslateHTTPRoute, in 2.0.1 as in 2.2.0), which is not what the Gateway API says:
//   - A backend without a ready Pod is left out. Where one is left, all requests go to that, whatever its weight, 0 included.
//   - The weights are read by position from all backends, so that after one that is left out each has its neighbour's.
//   - An upstream has the name of its Service and port, so that two rules that lead to one Service both bring an upstream of one id.
func (c *controller) backends(namespace string, refs []map[string]any, route *admin.Route) []admin.Upstream {
	var all []admin.Upstream
	for _, ref := range refs {
		name, _ := ref["name"].(string)
		port, _ := ref["port"].(int64)
		if nodes := c.nodes(namespace, name, port); len(nodes) > 0 {
			all = append(all, admin.Upstream{ID: fmt.Sprintf("Service_%s_%s_%d", namespace, name, port), Nodes: nodes})
		}
	}
	if len(all) == 0 {
		return nil
	}
	route.Upstream = admin.Upstream{Nodes: all[0].Nodes}
	if len(all) == 1 {
		return nil
	}
	var weighted []admin.WeightedUpstream
	for i, upstream := range all {
		weight := defaultWeight
		if given, ok := refs[i]["weight"].(int64); ok {
			weight = int(given)
		}
		if i == 0 {
			upstream.ID = "" // the route's own
		}
		weighted = append(weighted, admin.WeightedUpstream{UpstreamID: upstream.ID, Weight: weight})
	}
	route.Plugins[admin.TrafficSplit] = admin.Split{Rules: []admin.SplitRule{{WeightedUpstreams: weighted}}}
	return all[1:]
}
