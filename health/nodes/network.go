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

// networkCheck returns the name of the check of a host's way to the other nodes' Pods.
func networkCheck(host health.Host) string { return "pod network " + host.Name }

// routeSeconds bounds how long routes may be missing once both ends are up. Flannel follows the
// Nodes by a watch and writes a route within a second; it never searches again for a missed one.
const routeSeconds = 60

// networkFacts is one host's way to the Pods of the others.
type networkFacts struct {
	// Unit has the host's routes, Nodes the ranges of Pods.
	Unit  host.UnitFacts `json:"unit"`
	Nodes Facts          `json:"nodes"`
	// Ways are those to the hosts of the other Nodes.
	Ways []way `json:"ways,omitempty"`
	// Seconds is for how long the same routes are missing.
	Seconds int `json:"seconds,omitempty"`
}

// missingRoutes names the expected Nodes other than the host's own to whose Pods it has no route inside
// the network.
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
// gets an answer there. No condition of a Node shows a missing route: the host then sends requests
// for those Pods to its default gateway, and another machine may answer for them. Flannel writes
// such routes for vxlan and host-gw, and one for the whole network with wireguard (flannel
// pkg/backend).
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

// hasRoute reports whether a route inside the Pod network covers the range. A wider one leads
// elsewhere, such as to a company's network.
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
