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

// Plan is the wanted K3s and where it goes. It travels as JSON on stdin.
type Plan struct {
	// Version and SHA256 are the wanted K3s's and its binary's.
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	// Concurrency limits the agents that are upgraded at the same time.
	Concurrency int `json:"concurrency"`
	// Drain bounds the drain of one node, Return the time until its new K3s works, Timeout the
	// whole rollout.
	Drain   metav1.Duration `json:"drain"`
	Return  metav1.Duration `json:"return"`
	Timeout metav1.Duration `json:"timeout"`
	// Servers are the API servers, as https://address:port, in the order of the servers among
	// Nodes.
	Servers []string `json:"servers"`
	// Nodes are all of them, servers first.
	Nodes []health.Host `json:"nodes"`
	// Owner owns the hosts. A state from before there were marks has none.
	Owner *k3shost.Owner `json:"owner,omitempty"`
}

// Of are the nodes of a role, in their order.
func (p Plan) Of(role config.Role) []health.Host {
	var hosts []health.Host
	for _, host := range p.Nodes {
		if host.Role == string(role) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// URLs are those of the API servers, by the servers' names.
func (p Plan) URLs() map[string]string {
	urls := map[string]string{}
	for i, server := range p.Of(config.RoleServer) {
		urls[server.Name] = p.Servers[i]
	}
	return urls
}

// Host describes the K3s of a node's host.
type Host string

const (
	// HostWithout has no K3s yet: its install is still to come and brings the wanted one.
	HostWithout Host = "without"
	// HostPending runs another binary or configuration than the wanted one.
	HostPending Host = "pending"
	// HostCurrent was started with the wanted ones.
	HostCurrent Host = "current"
	// HostEnding runs the wanted ones, with certificates of K3s's own that a restart has to renew.
	HostEnding Host = "ending"
)

// task is one node that is not done.
type task struct {
	host health.Host
	node corev1.Node
	// url is the API server's on a server; empty on an agent.
	url string
	// restart is false where the new K3s was started by a run that was interrupted before it saw it
	// work.
	restart bool
	// renew is a restart for certificates alone. Pods stay: containers go on during it, and a
	// kubelet whose certificate has ended could not end them.
	renew bool
}

// tasks are the nodes that are not done, from what hosts and Nodes say. The whole rollout is
// refused if any node cannot go to the version in one step: nothing has been changed yet.
func (p Plan) tasks(hosts map[string]Host, nodes map[string]corev1.Node) (servers, agents []task, err error) {
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
