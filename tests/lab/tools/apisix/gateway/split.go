package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"strata/tests/lab/tools/apisix/admin"
)

// index builds the indexes of routes, services and upstreams. It fails for a duplicate id, and then
// the whole configuration is rejected (apisix/admin/standalone.lua, check_duplicate).
func (l *loaded) index() error {
	l.splits, l.services, l.upstreams = map[string]admin.Split{}, map[string]admin.Service{},
		map[string]admin.Upstream{}
	for _, upstream := range l.Upstreams {
		if _, twice := l.upstreams[upstream.ID]; twice {
			return fmt.Errorf("found duplicate id %s in upstreams", upstream.ID)
		}
		l.upstreams[upstream.ID] = upstream
	}
	for _, service := range l.Services {
		if _, twice := l.services[service.ID]; twice {
			return fmt.Errorf("found duplicate id %s in services", service.ID)
		}
		l.services[service.ID] = service
	}
	known := map[string]bool{}
	for i := range l.Routes {
		route := &l.Routes[i]
		if known[route.ID] {
			return fmt.Errorf("found duplicate id %s in routes", route.ID)
		}
		known[route.ID] = true
		split, err := splitOf(l.plugin(route, admin.TrafficSplit))
		if err != nil {
			return fmt.Errorf("route %s: %s: %w", route.ID, admin.TrafficSplit, err)
		}
		l.splits[route.ID] = split
	}
	return nil
}

// plugin returns a plugin's configuration for a route: the route's own, or its service's; nil if
// neither has one (apisix/plugin.lua, merge_service_route).
func (l *loaded) plugin(route *admin.Route, name string) any {
	if config, on := route.Plugins[name]; on {
		return config
	}
	return l.services[route.ServiceID].Plugins[name]
}

func splitOf(config any) (split admin.Split, err error) {
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &split)
	}
	return split, err
}

// errNoUpstream reports a service whose upstream is not in use yet, or no longer (apisix/init.lua,
// get_upstream_by_id).
var errNoUpstream = errors.New("failed to find upstream by id")

// upstreamOf returns the upstream for the next request of a route. As in APISIX, every upstream
// that the route refers to must exist, even one of weight 0 (apisix/plugins/traffic-split.lua,
// access).
func (p *plane) upstreamOf(sent *loaded, route *admin.Route) (admin.Upstream, error) {
	own := sent.services[route.ServiceID].UpstreamID
	var there map[string]admin.Upstream
	if known := p.upstreams.Load(); known != nil {
		there = *known
	}
	split, ownIsThere := sent.splits[route.ID], there[own].ID != ""
	if len(split.Rules) == 0 {
		return there[own], missing(ownIsThere)
	}
	weighted := split.Rules[0].WeightedUpstreams // the controller writes no rules with a match
	for _, one := range weighted {
		if _, found := there[one.UpstreamID]; one.UpstreamID != "" && !found {
			return admin.Upstream{}, fmt.Errorf("failed to fetch upstream info by upstream id: %s", one.UpstreamID)
		}
	}
	if id := p.splits.next(route.ID, weighted); id != "" {
		return there[id], nil
	}
	return there[own], missing(ownIsThere)
}

func missing(found bool) error {
	if found {
		return nil
	}
	return errNoUpstream
}

// splits has the state of the round robin for each route and its weights.
type splits struct {
	mu    sync.Mutex
	turns map[string]*robin
}

// next returns the id of the upstream for the next request.
func (s *splits) next(route string, weighted []admin.WeightedUpstream) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(route, weighted)
	if s.turns[key] == nil {
		if s.turns == nil {
			s.turns = map[string]*robin{}
		}
		s.turns[key] = &robin{at: -1}
	}
	return weighted[s.turns[key].next(weighted)].UpstreamID
}

// robin is a weighted round robin like lua-resty-balancer's. It starts at the largest weight, and
// goes down by the weights' greatest common divisor. An upstream of weight 0 gets no request,
// unless all weights are 0.
type robin struct{ at, current int }

func (r *robin) next(weighted []admin.WeightedUpstream) int {
	largest, divisor := 0, 0
	for _, one := range weighted {
		largest, divisor = max(largest, one.Weight), gcd(divisor, one.Weight)
	}
	if r.current <= 0 {
		r.current = largest
	}
	for {
		if r.at++; r.at == len(weighted) {
			r.at = 0
			if r.current -= max(divisor, 1); r.current <= 0 {
				r.current = largest
			}
		}
		if weighted[r.at].Weight >= r.current {
			return r.at
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
