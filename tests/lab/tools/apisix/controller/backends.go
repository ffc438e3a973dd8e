package main

import (
	"fmt"
	"hash/crc32"

	"strata/tests/lab/tools/apisix/adc"
	"strata/tests/lab/tools/apisix/admin"
)

// defaultWeight is the weight of a backend without a weight, if there are several backends
// (api/v2/shared_types.go). In an HTTPRoute, the API server sets the weight 1.
const defaultWeight = 100

// idOf returns the id for a name, a CRC-32 as in upstream (internal/id).
func idOf(name string) string { return fmt.Sprintf("%x", crc32.ChecksumIEEE([]byte(name))) }

// backends sets a service's upstream from the first backend, and further upstreams from the others.
// Like upstream (internal/adc/translator/httproute.go, translateBackendsToUpstreams, in 2.0.1
// and 2.2.0), it differs from the Gateway API:
//
//   - A backend without a ready Pod is omitted. If only one backend remains, it receives all
//     requests, even if its weight is 0.
//   - Weights are taken from all backends by position. After an omitted backend, each backend gets
//     the weight of the one before it.
//   - The name of an upstream consists of its Service and port. So two rules that use the same
//     Service create two upstreams with the same id.
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
			upstream.ID = "" // the service's own upstream has no id here
		}
		weighted = append(weighted, admin.WeightedUpstream{UpstreamID: upstream.ID,
			Weight: weightOf(refs[i], defaultWeight)})
	}
	service.Plugins[admin.TrafficSplit] = admin.Split{Rules: []admin.SplitRule{{WeightedUpstreams: weighted}}}
	service.Upstreams = all[1:]
}

// weightOf returns a backend's weight, or the argument without if the backend has no weight.
func weightOf(ref map[string]any, without int) int {
	if given, ok := ref["weight"].(int64); ok {
		return int(given)
	}
	return without
}

// weigh sets the weight of each Pod of a backend.
func weigh(nodes []admin.Node, weight int) []admin.Node {
	for i := range nodes {
		nodes[i].Weight = weight
	}
	return nodes
}
