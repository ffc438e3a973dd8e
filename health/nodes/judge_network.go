package nodes

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"strata/health"
	"strata/health/host"
)

// networkCheck returns the name of the check of a host's routes to the other nodes' Pods.
func networkCheck(host health.Host) string { return "pod network " + host.Name }

// routeSeconds is the number of seconds after which missing routes are Stuck, if both nodes are up.
// Flannel watches the Nodes and writes a route within a second. If it has missed a Node, it never
// adds that route.
const routeSeconds = 60

// networkFacts describes one host's routes to the other nodes' Pods.
type networkFacts struct {
	// Unit has the host's routes, and Nodes have the Pods' address ranges.
	Unit  host.UnitFacts `json:"unit"`
	Nodes Facts          `json:"nodes"`
	// Ways are the routes to the hosts of the other Nodes.
	Ways []way `json:"ways,omitempty"`
	// Seconds is the number of seconds for which the same routes have been missing.
	Seconds int `json:"seconds,omitempty"`
}

// missingRoutes returns the names of the other expected Nodes to whose Pods the host has no route
// inside the Pod network.
func (f networkFacts) missingRoutes(
	host health.Host, network netip.Prefix, expected []health.Host,
) []string {
	var names []string
	for _, node := range f.Nodes.Nodes {
		other := node.Name != host.Name &&
			slices.ContainsFunc(expected, func(h health.Host) bool { return h.Name == node.Name })
		if other && !hasRoute(network, node.PodCIDR, f.Unit.Routes) {
			names = append(names, fmt.Sprintf("%s (%s)", node.Name,
				cmp.Or(node.PodCIDR, "no range yet")))
		}
	}
	return names
}

// judgePodNetwork judges whether a host has a route to the Pods of every other expected Node, and
// whether they answer. No condition of a Node shows a missing route. Without the route, the host
// sends requests for those Pods to its default gateway, and another machine may answer them.
// Flannel writes one route for each Node with vxlan and host-gw, and one for the whole network with
// wireguard (flannel pkg/backend).
func judgePodNetwork(
	h health.Host, spec Spec, expected []health.Host, f networkFacts,
) health.Verdict {
	v := health.Verdict{Check: networkCheck(h), State: health.Waiting,
		After: []string{host.UnitCheck(h), nodeSetCheck}}
	if f.Nodes.Fault != nil || f.Unit.Fault != nil || !f.Unit.Seen {
		v.Message = "not seen"
		return v
	}
	missing := f.missingRoutes(h, spec.PodNetwork, expected)
	if len(missing) == 0 {
		return judgeWays(h, spec.Backend, f.Ways, v)
	}
	v.Message = "no route to the Pods of " + strings.Join(missing, ", ")
	v.Cause = "flannel has not taken them up; until then requests for their Pods go to the default gateway"
	v.Hint = fmt.Sprintf("on %s: ip route; journalctl -u %s | grep -i flannel; systemctl restart "+
		"%s writes the routes anew",
		h.Name, host.UnitName(h), host.UnitName(h))
	if f.Seconds >= routeSeconds {
		v.State = health.Stuck
	}
	return v
}

// hasRoute reports whether a route inside the Pod network covers the range. A route that is wider
// than the Pod network leads elsewhere, such as to a company's network.
func hasRoute(network netip.Prefix, podCIDR string, routes []string) bool {
	pods, err := netip.ParsePrefix(podCIDR)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(routes, func(text string) bool {
		route, err := netip.ParsePrefix(text)
		return err == nil && route.Bits() >= network.Bits() && route.Bits() <= pods.Bits() &&
			route.Contains(pods.Addr())
	})
}
