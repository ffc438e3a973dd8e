package upgrade

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/k3s/drain"
	"strata/config"
	"strata/health"
	"strata/internal/k3shost"
)

// Plan is the input of Upgrade: the wanted K3s and all nodes. It is passed as JSON on stdin.
type Plan struct {
	// Version and SHA256 identify the wanted K3s and its binary.
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	// Concurrency limits the agents that are upgraded at the same time.
	Concurrency int `json:"concurrency"`
	// Drain bounds the drain of one node, Return each wait until its new K3s works, and Timeout the
	// whole rollout.
	Drain   metav1.Duration `json:"drain"`
	Return  metav1.Duration `json:"return"`
	Timeout metav1.Duration `json:"timeout"`
	// Servers lists the API servers as https://address:port, in the order of the servers in Nodes.
	Servers []string `json:"servers"`
	// Nodes lists all nodes, servers first.
	Nodes []health.Host `json:"nodes"`
	// Owner owns the hosts. Nil in states of versions without owner marks.
	Owner *k3shost.Owner `json:"owner,omitempty"`
}

// NodesByRole returns the nodes with a role, in their order.
func (p Plan) NodesByRole(role config.Role) []health.Host {
	var hosts []health.Host
	for _, host := range p.Nodes {
		if host.Role == string(role) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// URLs maps the servers' names to their API URLs.
func (p Plan) URLs() map[string]string {
	urls := map[string]string{}
	for i, server := range p.NodesByRole(config.RoleServer) {
		urls[server.Name] = p.Servers[i]
	}
	return urls
}

// Host is the state of K3s on a node's host.
type Host string

const (
	// HostWithout means that the host has no K3s yet; the install will start the wanted version.
	HostWithout Host = "without"
	// HostPending means that the host runs another binary or configuration than the wanted one.
	HostPending Host = "pending"
	// HostCurrent means that the host's K3s was started with the wanted binary and configuration.
	HostCurrent Host = "current"
	// HostEnding means that the host runs the wanted K3s, but a certificate expires soon, so K3s
	// must restart to renew it.
	HostEnding Host = "ending"
)

// task is a node to upgrade.
type task struct {
	host health.Host
	node corev1.Node
	// url is the API URL of a server; empty for an agent.
	url string
	// restart is false if an interrupted run has restarted the node's K3s but has not checked that
	// the new K3s works.
	restart bool
	// renew is true if K3s restarts only to renew certificates. The node is not drained: containers
	// keep running during the restart, and a kubelet with an expired certificate could not stop
	// Pods.
	renew bool
}

// tasks returns the nodes that still need work, from the state of hosts and Nodes. It fails before
// any change if a node cannot reach the wanted version in one step.
func (p Plan) tasks(hosts map[string]Host, nodes map[string]corev1.Node) (servers, agents []task,
	err error) {
	var refused []error
	urls := p.URLs()
	for _, host := range p.Nodes {
		one := task{host: host, url: urls[host.Name], renew: hosts[host.Name] == HostEnding}
		one.restart = one.renew || hosts[host.Name] == HostPending
		node, joined := nodes[host.Name]
		_, marked := node.Annotations[drain.Annotation]
		if hosts[host.Name] == HostWithout || !joined || !one.restart && !marked {
			continue
		}
		if err := config.CheckK3sStep(node.Status.NodeInfo.KubeletVersion, p.Version); err != nil {
			refused = append(refused, fmt.Errorf("node %s: %w", host.Name, err))
		}
		one.node = node
		if one.url != "" {
			servers = append(servers, one)
		} else {
			agents = append(agents, one)
		}
	}
	return servers, agents, errors.Join(refused...)
}
