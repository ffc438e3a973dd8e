package main

import (
	"fmt"
	"hash/crc32"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/admin"
)

// defaultWeight is a backend's without one, among several (api/v2/shared_types.go). The API server
// writes 1 into an HTTPRoute.
const defaultWeight = 100

// idOf returns an id of a name (internal/id).
func idOf(name string) string { return fmt.Sprintf("%x", crc32.ChecksumIEEE([]byte(name))) }

// backends gives a service its upstream, and those of the backends after the first. It follows the
// original (internal/adc/translator/httproute.go, translateBackendsToUpstreams, in 2.0.1 as in
// 2.2.0), which differs from the Gateway API:
//   - A backend without a ready Pod is left out. Where one is left, all requests go to that,
//
// whatever its weight, 0 included.
//   - The weights are read by position from all backends, so that after one that is left out each has its neighbour's.
//   - An upstream has the name of its Service and port, so that two rules that lead to one Service
//
// both bring an upstream of one id.
func (c *controller) backends(namespace string, refs []map[string]any, service *adc.Service) {
	var all []adc.Upstream
	for _, ref := range refs {
		name, _ := ref["name"].(string)
		port, _ := ref["port"].(int64)
		if nodes := c.nodes(namespace, name, port); len(nodes) > 0 {
			upstream := fmt.Sprintf("Service_%s_%s_%d", namespace, name, port)
			all = append(all, adc.Upstream{Metadata: adc.Metadata{ID: idOf(upstream),
				Name: upstream}, Nodes: weigh(nodes, weightOf(ref, 1))})
		}
	}
	service.Upstream = &adc.Upstream{Nodes: []admin.Node{}}
	if len(all) == 0 {
		return
	}
	service.Upstream.Nodes = all[0].Nodes
	if len(all) == 1 {
		return
	}
	var weighted []admin.WeightedUpstream
	for i, upstream := range all {
		if i == 0 {
			upstream.ID = "" // the service's own
		}
		weighted = append(weighted, admin.WeightedUpstream{UpstreamID: upstream.ID,
			Weight: weightOf(refs[i], defaultWeight)})
	}
	service.Plugins[admin.TrafficSplit] = admin.Split{Rules: []admin.SplitRule{{WeightedUpstreams: weighted}}}
	service.Upstreams = all[1:]
}

// weightOf returns a backend's weight.
func weightOf(ref map[string]any, without int) int {
	if given, ok := ref["weight"].(int64); ok {
		return int(given)
	}
	return without
}

// weigh gives each Pod of a backend the backend's weight.
func weigh(nodes []admin.Node, weight int) []admin.Node {
	for i := range nodes {
		nodes[i].Weight = weight
	}
	return nodes
}
