package scaffold

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"strata/config"
)

// Proposal holds the values of a stack file, and the reasons that its comments give.
type Proposal struct {
	Stack string
	// SSH is hosts.ssh without User and Port. If the login needs a password, its field is
	// config.Sealed, and the file only has a comment with the command that sets the password.
	SSH config.SSH
	// User and Port are the most frequent values among the hosts.
	User string
	Port int
	Arch string
	// K3s is k3s.version; empty for the pinned one.
	K3s string
	// CgroupV1 allows kubelets to run on hosts with cgroup v1.
	CgroupV1 bool
	Subnet   netip.Prefix
	// Gateways are the next hops of the hosts' default routes, each with its interface.
	Gateways []string
	// Nodes lists the servers first.
	Nodes []Node
	Networks
	Pool Pool
	// FlannelInterface is k3s.flannelInterface; empty if the default is right. FlannelDiffers is
	// true if the hosts need different names.
	FlannelInterface string
	FlannelDiffers   bool
}

// propose returns the proposal for the hosts. It has no pool yet, because a host must first probe
// the addresses. If there are problems, the proposal is incomplete.
func propose(stack string, ssh config.SSH, hosts []Host) (Proposal, Problems) {
	p := Proposal{Stack: stack, SSH: ssh, Gateways: gateways(hosts)}
	var problems Problems
	note := func(found *Problem) {
		if found != nil {
			problems = append(problems, *found)
		}
	}
	problems = append(problems, append(systems(hosts), twice(hosts)...)...)
	p.Arch = architectures[hosts[0].Facts.Arch]
	subnet, wrong := subnet(hosts)
	p.Subnet, problems = subnet, append(problems, wrong...)
	var found *Problem
	p.Nodes, found = nodes(hosts)
	note(found)
	p.Networks, found = clusterNetworks(hosts)
	note(found)
	p.FlannelInterface, p.FlannelDiffers = flannelInterface(hosts)
	p.User = mostly(hosts, func(h Host) string { return h.Asked.User })
	p.Port = mostly(hosts, func(h Host) int { return h.Asked.Port })
	return p, problems
}

// architectures maps uname -m's names to those of the configuration.
var architectures = map[string]string{"x86_64": "amd64", "aarch64": "arm64"}

// systems returns the problems of the hosts' architectures, and of Kubernetes distributions on
// them. The preflight checks K3s's requirements later.
func systems(hosts []Host) Problems {
	var problems Problems
	first := ""
	for _, host := range hosts {
		arch := architectures[host.Facts.Arch]
		switch {
		case arch == "":
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: fmt.Sprintf("is %s, and the artifacts are for %s only",
						orUnknown(host.Facts.Arch), strings.Join(config.Architectures, " and ")),
					Fix: "install a 64-bit system on it, or name another host"})
		case first != "" && arch != first:
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: fmt.Sprintf("is %s, and hosts before it are %s", arch, first),
					Fix:  "name hosts of one architecture: all nodes get the same files"})
		case first == "":
			first = arch
		}
		if len(host.Facts.Kubernetes) > 0 {
			problems = append(problems,
				Problem{Host: host.Asked.String(),
					What: "is or was a node of another cluster: " +
						strings.Join(host.Facts.Kubernetes, ", "),
					Fix: "name another host, or uninstall it with its own program, which also " +
						"clears its rules and mounts"})
		}
	}
	return problems
}

// twice returns a problem for each host that the user named twice, by different names or addresses.
func twice(hosts []Host) Problems {
	var problems Problems
	for i, host := range hosts {
		for _, before := range hosts[:i] {
			if host.has(before.Address) {
				problems = append(problems,
					Problem{Host: host.Asked.String(),
						What: fmt.Sprintf(
							"is the host that is also named as %s: it has the address %s",
							before.Asked, before.Address),
						Fix: "name it once"})
				break
			}
		}
	}
	return problems
}

func orUnknown(text string) string {
	if text == "" {
		return "of an unknown architecture"
	}
	return text
}

// gateways returns the distinct next hops of the default routes, with their interfaces.
func gateways(hosts []Host) []string {
	found := map[string]bool{}
	for _, host := range hosts {
		if route, ok := host.defaultRoute(); ok && route.Gateway.IsValid() {
			found[route.Gateway.String()+" on "+route.Device] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// mostly returns the most frequent value among the hosts; in a tie, the one of the earliest host.
func mostly[T comparable](hosts []Host, value func(Host) T) T {
	counts := map[T]int{}
	for _, host := range hosts {
		counts[value(host)]++
	}
	best := value(hosts[0])
	for _, host := range hosts {
		if counts[value(host)] > counts[best] {
			best = value(host)
		}
	}
	return best
}
