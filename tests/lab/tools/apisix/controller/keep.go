package main

import (
	"maps"

	"strata/tests/lab/tools/apisix/adc"
)

// keepUpstreams is an annotation of a route, for tests. While a route has it, the data plane keeps
// the route's present Pods, as users have seen with controllers before 2.2.0
// (apisix-ingress-controller#2699, #2689, #2708). Other routes and all statuses are not affected.
const keepUpstreams = "strata.test/keep-upstreams"

// kept returns a service. If its route has keepUpstreams, the service has the upstreams of the last
// sync.
func (c *controller) kept(route object, service adc.Service) adc.Service {
	last, before := c.last[service.ID]
	if _, keep := route.GetAnnotations()[keepUpstreams]; keep && before {
		service.Upstream, service.Upstreams = last.Upstream, last.Upstreams
		service.Plugins = maps.Clone(last.Plugins)
	}
	c.last[service.ID] = service
	return service
}
