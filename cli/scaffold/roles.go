package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"strata/config"
	"strata/health/host"
)

// quorum is the smallest number of servers with which etcd stays writable after one fails.
const quorum = 3

// maxName is the largest length of a DNS label.
const maxName = 63

// Node is a host with its name and role in the cluster.
type Node struct {
	Host
	Name string
	Role config.Role
}

// nodes assigns a name and a role to each host, and sorts servers first. If three hosts have the
// memory of a server, the first three become servers; otherwise only the first one does. All other
// hosts become agents.
func nodes(hosts []Host) ([]Node, *Problem) {
	needs := host.Needs(string(config.RoleServer), false, false).MinMemoryMiB
	all := make([]Node, len(hosts))
	names := map[string]bool{}
	var fit []int
	for i, host := range hosts {
		all[i] = Node{Host: host, Name: uniqueName(host.Facts.Hostname, names),
			Role: config.RoleAgent}
		if host.Facts.MemoryMiB >= needs {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return nil, &Problem{
			What: fmt.Sprintf("no host has the %d MiB of memory that a server needs", needs),
			Fix:  "give one host more, or name a larger one"}
	}
	servers := 1
	if len(fit) >= quorum {
		servers = quorum
	}
	for _, i := range fit[:servers] {
		all[i].Role = config.RoleServer
	}
	slices.SortStableFunc(all, func(a, b Node) int { return order(a) - order(b) })
	return all, nil
}

// order returns the sort key of a node. Servers come first, because the first node in the file
// creates the cluster.
func order(n Node) int {
	if n.Role == config.RoleServer {
		return 0
	}
	return 1
}

// uniqueName converts a host name to a DNS label that is not in names, and adds it to names.
func uniqueName(hostname string, names map[string]bool) string {
	short, _, _ := strings.Cut(strings.ToLower(hostname), ".")
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, short)
	if label = strings.Trim(label[:min(len(label), maxName)], "-"); label == "" {
		label = "node"
	}
	name := label
	for n := 2; names[name]; n++ {
		suffix := fmt.Sprintf("-%d", n)
		name = label[:min(len(label), maxName-len(suffix))] + suffix
	}
	names[name] = true
	return name
}
