package main

import (
	"maps"

	"strata/tests/lab/tools/apisix/adc"
)

// keepUpstreams is an annotation of a route, for tests. While a route has it, the data plane keeps
// the route's present Pods, as users saw it of controllers before 2.2.0
// (apisix-ingress-controller#2699, #2689, #2708). Everything else goes on, and every status is as
// before.
const keepUpstreams = "strata.test/keep-upstreams"

// kept returns a service with the upstreams that were sent last, if its route's annotation says so.
func (c *controller) kept(route object, service adc.Service) adc.Service {
	last, before := c.last[service.ID]
	if _, keep := route.GetAnnotations()[keepUpstreams]; keep && before {
		service.Upstream, service.Upstreams = last.Upstream, last.Upstreams
		service.Plugins = maps.Clone(last.Plugins)
	}
	c.last[service.ID] = service
	return service
}
