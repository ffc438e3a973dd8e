package preflight

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"strata/config"
	"strata/health"
	"strata/health/host"
)

// Port is a port of a host that other nodes must reach.
type Port struct {
	// Protocol is tcp or udp.
	Protocol string
	Number   int
	// From are the addresses of the nodes that must reach the port.
	From []netip.Addr
}

// portsOf returns the ports of a node that other nodes must reach: K3s's
// (https://docs.k3s.io/installation/requirements#networking), and 7946 of MetalLB. MetalLB's
// speakers use it to elect the node that announces an address (https://metallb.io: Requirements).
func portsOf(cfg *config.Config, node config.Node) (ports []Port) {
	var nodes, servers []netip.Addr
	for _, other := range cfg.Hosts.Nodes {
		if other.Name == node.Name {
			continue
		}
		nodes = append(nodes, other.Address)
		if other.Role == config.RoleServer {
			servers = append(servers, other.Address)
		}
	}
	add := func(protocol string, number int, from []netip.Addr) {
		if len(from) > 0 {
			ports = append(ports, Port{protocol, number, from})
		}
	}
	if node.Role == config.RoleServer {
		add("tcp", 6443, nodes)
		add("tcp", 2379, servers)
		add("tcp", 2380, servers)
	}
	add("tcp", 10250, nodes)
	switch cfg.K3s.CriticalValues()["flannel-backend"] {
	case "vxlan":
		add("udp", 8472, nodes)
	case "wireguard-native":
		add("udp", 51820, nodes)
	}
	if *cfg.MetalLB.Enabled {
		add("tcp", 7946, nodes)
		add("udp", 7946, nodes)
	}
	return ports
}

// firewall is a firewall on a host that drops every packet that no rule accepts.
type firewall struct {
	name   string
	passes []pass
	// allow returns the command that opens a protocol's ports for a network. keep is the suffix of
	// the commands that makes the change permanent.
	allow func(protocol string, subnet netip.Prefix, ports []string) string
	keep  string
}

// judgeFirewall warns if a firewall on a host blocks a required port. It only warns, because this
// program may not recognize a rule, or the user may still add one.
func judgeFirewall(h Host, b host.Block) health.Verdict {
	v := health.Verdict{Check: "firewall", State: health.Ready,
		Message: "none is seen that drops what nodes send each other"}
	for _, wall := range firewalls(b) {
		closed := wall.closedPorts(h.Ports)
		if len(closed) == 0 {
			v.Message = wall.name + " lets through what nodes send each other"
			continue
		}
		v.Message = fmt.Sprintf("%s has no rule that lets other nodes reach %s", wall.name,
			listPorts(closed))
		v.Cause = "nodes would not join, or Pods of different hosts not reach each other"
		v.Hint = fmt.Sprintf("on %s: %s; UDP ports cannot be tried before K3s listens, the gates of an up do that",
			h.Host.Name, wall.commands(closed, h.Subnet))
		return v
	}
	return v
}

// closedPorts returns the ports that at least one of the nodes in From cannot reach, because no
// rule accepts the node's packets.
func (f firewall) closedPorts(ports []Port) (closed []Port) {
	for _, port := range ports {
		if slices.ContainsFunc(port.From, func(from netip.Addr) bool {
			return !slices.ContainsFunc(f.passes, func(p pass) bool { return p.takes(port, from) })
		}) {
			closed = append(closed, port)
		}
	}
	return closed
}

func (f firewall) commands(ports []Port, subnet netip.Prefix) string {
	var commands []string
	for _, protocol := range []string{"tcp", "udp"} {
		if numbers := numbersOf(ports, protocol); len(numbers) > 0 {
			commands = append(commands, f.allow(protocol, subnet, numbers))
		}
	}
	return strings.Join(commands, " && ") + f.keep
}

func listPorts(ports []Port) string {
	var texts []string
	for _, protocol := range []string{"tcp", "udp"} {
		if numbers := numbersOf(ports, protocol); len(numbers) > 0 {
			texts = append(texts, strings.ToUpper(protocol)+" "+strings.Join(numbers, ", "))
		}
	}
	return strings.Join(texts, " and ")
}

func numbersOf(ports []Port, protocol string) (numbers []string) {
	for _, port := range ports {
		if port.Protocol == protocol {
			numbers = append(numbers, strconv.Itoa(port.Number))
		}
	}
	return numbers
}
