package config

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Role is a node's part in the cluster.
type Role string

const (
	// RoleServer runs the control plane and etcd (K3s server).
	RoleServer Role = "server"
	// RoleAgent runs workloads only (K3s agent).
	RoleAgent Role = "agent"
)

// Unit returns the systemd unit that K3s's install script makes for the role, without .service.
func (r Role) Unit() string {
	if r == RoleServer {
		return "k3s"
	}
	return "k3s-agent"
}

// Node is one host of the cluster.
type Node struct {
	// Name is the node's name in Kubernetes and, where Strata makes the host, the host name.
	// Required, unique.
	Name string `json:"name" plain:"true"`
	// Role is server or agent. Required.
	Role Role `json:"role"`
	// Address is the node's IP address in hosts.subnet. Required, unique.
	Address netip.Addr `json:"address"`
	// SSH overrides hosts.ssh for this host.
	SSH SSH `json:"ssh"`
	// VM overrides the size in hosts.vm for this host.
	VM Size `json:"vm"`
	// Labels are set on the Node at its registration; an update applies later changes. A label that
	// is removed here is removed from the Node, unless its value there has changed. The Node's
	// other labels stay.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints are set on the Node in the same way as labels. Their form is key=value:Effect.
	Taints []string `json:"taints,omitempty"`
	// Recreate is consent to recreate this node's machine once, which deletes everything on it.
	// Write any word that was not used before. Only for drivers that create machines. Default:
	// none, and no change recreates the machine.
	Recreate string `json:"recreate,omitempty"`
}

func (c *Config) checkNodes(ps *problems) {
	servers := 0
	names, addresses := map[string]int{}, map[netip.Addr]int{}
	for i, node := range c.Hosts.Nodes {
		key := field("hosts.nodes[%d]", i)
		checkNodeName(ps, key+".name", node.Name, names, i)
		c.checkNodeAddress(ps, key+".address", node.Address, addresses, i)
		checkRole(ps, key+".role", node.Role)
		ps.addIf(node.Recreate != "" && c.Hosts.Driver == DriverExisting, key+".recreate",
			node.Recreate, "is for machines that Strata makes, and driver existing makes none",
			"remove it")
		checkLabels(ps, key+".labels", node.Labels)
		checkTaints(ps, key+".taints", node.Taints)
		if node.Role == RoleServer {
			servers++
		}
	}
	switch {
	case len(c.Hosts.Nodes) == 0:
		ps.add(field("hosts.nodes"), "", "is empty", "add at least one node with role: server")
	case servers == 0:
		ps.add(field("hosts.nodes"), "", "has no server", "give one node role: server")
	case servers%2 == 0:
		ps.add(field("hosts.nodes"), "",
			fmt.Sprintf("has %d servers, and etcd needs an odd number for its quorum", servers),
			fmt.Sprintf("use %d or %d", servers-1, servers+1))
	}
}

func checkNodeName(ps *problems, key, name string, seen map[string]int, index int) {
	if name == "" {
		ps.add(key, "", "is not set", "give the node a unique name")
		return
	}
	ps.addIf(len(validation.IsDNS1123Label(name)) > 0, key, name, "is not a DNS label",
		"use at most 63 lower case letters, digits and dashes, with a letter or digit at both ends")
	if first, duplicate := seen[name]; duplicate {
		ps.add(key, name, fmt.Sprintf("is also the name of hosts.nodes[%d]", first),
			"give each node its own name")
		return
	}
	seen[name] = index
}

func (c *Config) checkNodeAddress(
	ps *problems, key string, address netip.Addr, seen map[netip.Addr]int, index int,
) {
	subnet := c.Hosts.Subnet
	gateway := c.Hosts.VM.Gateway
	switch {
	case !address.IsValid():
		ps.add(key, "", "is not set", "give the node's address in hosts.subnet")
		return
	case subnet.IsValid() && !usable(subnet, address):
		ps.add(key, address.String(), "is not a host address of hosts.subnet "+subnet.String(),
			"use an address inside it, neither the first nor the last")
	case gateway.IsValid() && address == gateway:
		ps.add(key, address.String(), "is the gateway's address, hosts.vm.gateway",
			"give the node another address")
	}
	if first, duplicate := seen[address]; duplicate {
		ps.add(key, address.String(), fmt.Sprintf("is also the address of hosts.nodes[%d]", first),
			"give each node its own address")
		return
	}
	seen[address] = index
}

func checkRole(ps *problems, key string, role Role) {
	known := []string{string(RoleServer), string(RoleAgent)}
	switch role {
	case RoleServer, RoleAgent:
	case "":
		ps.add(key, "", "is not set", "set server or agent")
	default:
		ps.add(key, string(role), "is not a known role", suggestion(string(role), known))
	}
}

// kubeletLabels are the labels under kubernetes.io and k8s.io that a kubelet may set on its own
// Node. With another label under these domains, the kubelet refuses to start
// (k8s.io/kubernetes/pkg/kubelet/apis/well_known_labels.go).
var kubeletLabels = []string{
	"kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os",
	"node.kubernetes.io/instance-type",
	"topology.kubernetes.io/region", "topology.kubernetes.io/zone", "beta.kubernetes.io/arch",
	"beta.kubernetes.io/os",
	"beta.kubernetes.io/instance-type", "failure-domain.beta.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone",
}

// kubeletNamespaces are the label namespaces in which a kubelet may set any label.
var kubeletNamespaces = []string{"kubelet.kubernetes.io", "node.kubernetes.io"}

func checkLabels(ps *problems, key string, labels map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		at := fmt.Sprintf("%s[%q]", key, name)
		if messages := validation.IsQualifiedName(name); len(messages) > 0 {
			ps.add(at, "", "is not a label name", messages[0])
		} else if !kubeletMaySet(name) {
			ps.add(at, "", "is a label that a kubelet must not set: K3s would not start",
				"use a prefix of your own, or label the Node after it has registered")
		}
		if messages := validation.IsValidLabelValue(labels[name]); len(messages) > 0 {
			ps.add(at, labels[name], "is not a label value", messages[0])
		}
	}
}

func kubeletMaySet(label string) bool {
	namespace, _, qualified := strings.Cut(label, "/")
	if !qualified || !inNamespace(namespace, "kubernetes.io") && !inNamespace(namespace, "k8s.io") {
		return true
	}
	allowed := func(parent string) bool { return inNamespace(namespace, parent) }
	return slices.Contains(kubeletLabels, label) || slices.ContainsFunc(kubeletNamespaces, allowed)
}

func inNamespace(namespace, parent string) bool {
	return namespace == parent || strings.HasSuffix(namespace, "."+parent)
}

var taintEffects = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}

func checkTaints(ps *problems, key string, taints []string) {
	for i, taint := range taints {
		at := fmt.Sprintf("%s[%d]", key, i)
		selector, effect, found := strings.Cut(taint, ":")
		name, value, _ := strings.Cut(selector, "=")
		switch {
		case !found || len(validation.IsQualifiedName(name)) > 0 ||
			len(validation.IsValidLabelValue(value)) > 0:
			ps.add(at, taint, "is not a taint",
				"write key=value:Effect, for example dedicated=db:NoSchedule")
		case !slices.Contains(taintEffects, effect):
			ps.add(at, taint, "has no known effect", suggestion(effect, taintEffects))
		}
	}
}
