package scaffold

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// smallestSubnet has room for a gateway, three nodes and an address of the load balancer. The
// configuration refuses a smaller subnet.
const smallestSubnet = 29

// subnet returns the network that contains the addresses of all hosts.
func subnet(hosts []Host) (netip.Prefix, Problems) {
	var common netip.Prefix
	var first Host
	var problems Problems
	for _, host := range hosts {
		own, found := host.loginInterface()
		network := own.Address.Masked()
		switch {
		case !found:
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: fmt.Sprintf("expected %s on one of its interfaces, found %s",
						host.Address,
						interfaces(host.Facts)),
					Fix: "name an address of the host's own: nodes reach each other by it, so " +
						"neither a forwarded port nor a NAT address will do"})
		case network.Bits() > smallestSubnet:
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: fmt.Sprintf("expected a network of /%d or larger on %s, found %s",
						smallestSubnet, own.Name, network),
					Fix: "attach the hosts to one network and name their addresses on it: " +
						"MetalLB announces by layer 2"})
		case !common.IsValid():
			common, first = network, host
		case network != common:
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: fmt.Sprintf("is on %s (%s), and %s is on %s", network, own.Name,
						first.Asked.Address, common),
					Fix: "name addresses of one network, with the same prefix length on every " +
						"host: nodes and the load balancer's addresses share hosts.subnet"})
		}
	}
	return common, problems
}

func interfaces(facts Facts) string {
	var texts []string
	for _, one := range facts.Interfaces {
		texts = append(texts, one.Name+" "+one.Address.String())
	}
	return strings.Join(texts, ", ")
}

// Clash is a network that a host uses, which the cluster's Pod and Service networks must not
// overlap.
type Clash struct {
	Network netip.Prefix
	// Host is the first host that uses the network; Device is the host's interface in it.
	Host, Device string
}

// String describes the clash for a comment of the stack file.
func (c Clash) String() string {
	text := c.Network.String() + " of " + c.Host
	if c.Device != "" {
		text += " (" + c.Device + ")"
	}
	return text
}

// usedNetworks returns the networks of the hosts' interfaces and routes.
func usedNetworks(hosts []Host) []Clash {
	var all []Clash
	add := func(network netip.Prefix, host Host, device string) {
		known := slices.ContainsFunc(all, func(one Clash) bool { return one.Network == network })
		if !known && network != everywhere && network.Addr().Is4() {
			all = append(all, Clash{network, host.Asked.Address, device})
		}
	}
	for _, host := range hosts {
		for _, one := range host.Facts.Interfaces {
			add(one.Address.Masked(), host, one.Name)
		}
		for _, route := range host.Facts.Routes {
			add(route.To, host, route.Device)
		}
	}
	return all
}

// Networks holds the cluster's networks for Pods and Services.
type Networks struct {
	Pods, Services netip.Prefix
	// Clashes are the reasons why K3s's default networks are not used; empty if they are used.
	Clashes []Clash
}

// clusterNetworks returns K3s's default networks if no host uses one of them. Otherwise it returns
// the first two of privateNetworks that no host uses.
func clusterNetworks(hosts []Host) (Networks, *Problem) {
	clashes := usedNetworks(hosts)
	free := func(network netip.Prefix) bool {
		return !slices.ContainsFunc(clashes,
			func(one Clash) bool { return one.Network.Overlaps(network) })
	}
	var chosen []netip.Prefix
	for _, network := range privateNetworks() {
		if free(network) {
			chosen = append(chosen, network)
		}
		if len(chosen) == 2 {
			break
		}
	}
	if len(chosen) < 2 {
		return Networks{},
			&Problem{What: "no two networks of the private address space are left for Pods and " +
				"Services: the hosts use " + clashList(clashes),
				Fix: "take away routes that are not needed, or write the file by hand"}
	}
	networks := Networks{Pods: chosen[0], Services: chosen[1]}
	for _, own := range privateNetworks()[:2] {
		for _, one := range clashes {
			if one.Network.Overlaps(own) && !slices.Contains(networks.Clashes, one) {
				networks.Clashes = append(networks.Clashes, one)
			}
		}
	}
	return networks, nil
}

func clashList(clashes []Clash) string {
	texts := make([]string, len(clashes))
	for i, one := range clashes {
		texts[i] = one.String()
	}
	return strings.Join(texts, ", ")
}

// privateNetworks returns the /16 networks that a cluster may use, in order of preference. They
// begin with K3s's own two, 10.42.0.0/16 and 10.43.0.0/16. The rest of 10.0.0.0/8 follows, then
// 172.16.0.0/12 (RFC 1918), then 100.64.0.0/10 (RFC 6598), which a VPN may use. 192.168.0.0/16 is
// left out, because it is a single network of that size and widely used.
func privateNetworks() []netip.Prefix {
	var all []netip.Prefix
	add := func(first, from, to byte) {
		for n := int(to) - int(from); n >= 0; n-- {
			all = append(all, netip.PrefixFrom(netip.AddrFrom4([4]byte{first, from, 0, 0}), 16))
			from++
		}
	}
	add(10, 42, 255)
	add(10, 0, 41)
	add(172, 16, 31)
	add(100, 64, 127)
	return all
}

// flannelInterface returns the name of the nodes' network interface if flannel would choose another
// one, that of the default route. name is empty if no host needs the setting. differ is true if the
// hosts need different names, so that no single setting fits.
func flannelInterface(hosts []Host) (name string, differ bool) {
	apart := false
	for _, host := range hosts {
		own, _ := host.loginInterface()
		if route, found := host.defaultRoute(); found && route.Device != own.Name {
			apart = true
		}
		if name != "" && own.Name != name {
			differ = true
		}
		name = own.Name
	}
	switch {
	case !apart:
		return "", false
	case differ:
		return "", true
	}
	return name, false
}
