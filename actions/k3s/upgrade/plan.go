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

// Plan holds the wanted K3s and its nodes. It is passed as JSON on stdin.
type Plan struct {
	// Version and SHA256 identify the wanted K3s and its binary.
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	// Concurrency limits the agents that are upgraded at the same time.
	Concurrency int `json:"concurrency"`
	// Drain bounds the drain of one node, Return the time until its new K3s works, and Timeout the
	// whole rollout.
	Drain   metav1.Duration `json:"drain"`
	Return  metav1.Duration `json:"return"`
	Timeout metav1.Duration `json:"timeout"`
	// Servers are the API servers, as https://address:port, in the order of the servers among
	// Nodes.
	Servers []string `json:"servers"`
	// Nodes are all nodes, servers first.
	Nodes []health.Host `json:"nodes"`
	// Owner owns the hosts. A state from before owner marks has none.
	Owner *k3shost.Owner `json:"owner,omitempty"`
}

// NodesByRole returns the nodes of a role, in their order.
func (p Plan) NodesByRole(role config.Role) []health.Host {
	var hosts []health.Host
	for _, host := range p.Nodes {
		if host.Role == string(role) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// URLs returns the URLs of the API servers, by the servers' names.
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
	// HostWithout means that the host has no K3s yet: its install brings the wanted one.
	HostWithout Host = "without"
	// HostPending means that the host runs another binary or configuration than the wanted one.
	HostPending Host = "pending"
	// HostCurrent means that the host's K3s was started with the wanted binary and configuration.
	HostCurrent Host = "current"
	// HostEnding means that the host runs the wanted K3s with certificates that a restart has to
	// renew.
	HostEnding Host = "ending"
)

// task is a node that still needs work.
type task struct {
	host health.Host
	node corev1.Node
	// url is the URL of a server's API; empty on an agent.
	url string
	// restart is false if an interrupted run already started the new K3s but did not see it work.
	restart bool
	// renew restarts K3s for certificates alone. Pods stay: containers continue during the restart,
	// and a kubelet with an ended certificate could not end them.
	renew bool
}

// tasks returns the nodes that still need work, from the reports of hosts and Nodes. It refuses the
// whole rollout, before any change, if a node cannot reach the version in one step.
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
