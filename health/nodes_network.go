package health

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// networkCheck is the name of the check of a host's way to the other nodes' Pods.
func networkCheck(host Host) string { return "pod network " + host.Name }

// routeSeconds is for how long routes may be missing once both ends are up. Flannel follows the Nodes by a watch and writes a route
// within a second; what it has missed it does not look for again.
const routeSeconds = 60

// networkFacts is what one host's way to the Pods of the others looks like.
type networkFacts struct {
	// Unit has the host's routes, Nodes the ranges of Pods.
	Unit  unitFacts  `json:"unit"`
	Nodes nodesFacts `json:"nodes"`
	// Seconds is for how long the same routes are missing.
	Seconds int `json:"seconds,omitempty"`
}

// missing names the expected Nodes other than the host's own to whose Pods it has no route inside the network.
func (f networkFacts) missing(host Host, network netip.Prefix, expected []Host) []string {
	var names []string
	for _, node := range f.Nodes.Nodes {
		other := node.Name != host.Name && slices.ContainsFunc(expected, func(h Host) bool { return h.Name == node.Name })
		if other && !routed(network, node.PodCIDR, f.Unit.Routes) {
			names = append(names, fmt.Sprintf("%s (%s)", node.Name, cmp.Or(node.PodCIDR, "no range yet")))
		}
	}
	return names
}

// judgePodNetwork says whether a host has a route to the Pods of every other expected Node. No condition of a Node shows one
// that is missing: the host then sends requests for those Pods to its default gateway, and whoever answers there answers for
// them. Flannel writes such routes for vxlan and host-gw, and one for the whole network with wireguard (flannel pkg/backend).
func judgePodNetwork(host Host, network netip.Prefix, expected []Host, f networkFacts) Verdict {
	v := Verdict{Check: networkCheck(host), State: Waiting, After: []string{unitCheck(host), nodeSetCheck}}
	if f.Nodes.Fault != nil || f.Unit.Fault != nil || !f.Unit.Seen {
		v.Message = "not seen"
		return v
	}
	missing := f.missing(host, network, expected)
	if len(missing) == 0 {
		v.State, v.After = Ready, nil
		return v
	}
	v.Message = "no route to the Pods of " + strings.Join(missing, ", ")
	v.Cause = "flannel has not taken them up; until then requests for their Pods go to the default gateway"
	v.Hint = fmt.Sprintf("on %s: ip route; journalctl -u %s | grep -i flannel; systemctl restart %s writes the routes anew",
		host.Name, unitName(host), unitName(host))
	if f.Seconds >= routeSeconds {
		v.State = Stuck
	}
	return v
}

// routed is true when a route inside the Pod network covers the range; a wider one leads elsewhere, such as to a company's network.
func routed(network netip.Prefix, podCIDR string, routes []string) bool {
	pods, err := netip.ParsePrefix(podCIDR)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(routes, func(text string) bool {
		route, err := netip.ParsePrefix(text)
		return err == nil && route.Bits() >= network.Bits() && route.Bits() <= pods.Bits() && route.Contains(pods.Addr())
	})
}

// routesOf reads lines of /proc/net/route as the probe prints them: destination and mask as eight hexadecimal digits each, last byte
// of the address first (amd64 and arm64 are little-endian; proc_net(5)).
func routesOf(lines []string) []string {
	var routes []string
	for _, line := range lines {
		to, mask, _ := strings.Cut(line, " ")
		address, err := hex.DecodeString(to)
		if err != nil || len(address) != 4 {
			continue
		}
		slices.Reverse(address)
		ones, err := strconv.ParseUint(mask, 16, 32)
		if err != nil {
			continue
		}
		routes = append(routes, netip.PrefixFrom(netip.AddrFrom4([4]byte(address)), bits.OnesCount64(ones)).String())
	}
	return routes
}
