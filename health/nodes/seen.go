package nodes

import (
	"slices"
	"strings"
	"sync"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

// nodesAndUnits holds the newest observations of Nodes, units and answers, and judges them
// together.
type nodesAndUnits struct {
	hosts []health.Host
	spec  Spec
	// asked is true if the hosts are observed over SSH. It is false without an SSH key; the checks
	// of units are then Skipped.
	asked  bool
	stable *observe.Stable
	// moved has a channel for each host, with a token if the addresses to which it connects may
	// have changed.
	moved []chan struct{}

	mu    sync.Mutex
	units []host.UnitFacts
	// answers has the answers that each host received, by address.
	answers []map[string]host.Answer
	nodes   *Facts
}

func newNodesAndUnits(
	hosts []health.Host, spec Spec, asked bool, stable *observe.Stable,
) *nodesAndUnits {
	n := &nodesAndUnits{
		hosts: hosts, spec: spec, asked: asked, stable: stable,
		units:   make([]host.UnitFacts, len(hosts)),
		answers: make([]map[string]host.Answer, len(hosts)),
	}
	for range hosts {
		n.moved = append(n.moved, make(chan struct{}, 1))
	}
	return n
}

// update runs change under the lock. It drops the answers of a host that has no address to connect
// to, because they will be out of date when it has one again.
func (n *nodesAndUnits) update(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
	for i, moved := range n.moved {
		if n.addresses(i) == "" {
			n.answers[i] = nil
		}
		observe.Signal(moved)
	}
}

// hear stores the answer that host i got from an address. An empty address means that SSH to the
// host failed; then hear drops all earlier answers of that host.
func (n *nodesAndUnits) hear(i int, address string, came host.Answer) {
	if address == "" {
		n.answers[i] = nil
		return
	}
	if n.answers[i] == nil {
		n.answers[i] = map[string]host.Answer{}
	}
	n.answers[i][address] = came
}

// judge returns all verdicts; nil until the Nodes were observed, because units alone say nothing
// about the cluster.
func (n *nodesAndUnits) judge() []health.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.nodes == nil {
		return nil
	}
	if n.spec.Registered {
		return JudgeRegistered(*n.nodes)
	}
	units := make([]health.Verdict, len(n.hosts))
	var networks, kubelets []health.Verdict
	for i, h := range n.hosts {
		if !n.asked {
			units[i] = health.Verdict{Check: host.UnitCheck(h), State: health.Skipped,
				Message: host.NoKey}
			continue
		}
		units[i] = host.JudgeUnit(h, n.units[i])
		if n.spec.PodNetwork.IsValid() {
			networks = append(networks, judgePodNetwork(h, n.spec, n.hosts, n.facts(i)))
		}
		if n.spec.Kubelets && len(n.hosts) > 1 {
			kubelets = append(kubelets, judgeKubelets(h, n.ways(i)))
		}
	}
	return slices.Concat(units, judgeNodes(n.hosts, *n.nodes), networks, kubelets)
}

// asks returns addresses(i), read under the lock.
func (n *nodesAndUnits) asks(i int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.addresses(i)
}

// addresses returns the addresses to which host i connects, separated by spaces. It is empty until
// all hosts and their Nodes were seen, so that each host needs only one SSH session. It omits Pod
// addresses without a route, because a machine behind the default gateway could answer.
func (n *nodesAndUnits) addresses(i int) string {
	unseen := func(f host.UnitFacts) bool { return !f.Seen }
	if n.nodes == nil || slices.ContainsFunc(n.units, unseen) {
		return ""
	}
	ways := n.ways(i)
	if len(ways) < len(n.hosts)-1 {
		return ""
	}
	var addresses []string
	for _, way := range ways {
		if way.Address != "" {
			addresses = append(addresses, way.Address)
		}
		if way.Pod != "" {
			addresses = append(addresses, way.Pod)
		}
		if n.spec.Kubelets {
			addresses = append(addresses, way.Host)
		}
	}
	return strings.Join(addresses, " ")
}

// facts returns the facts about one host's routes to the other nodes' Pods. Seconds is 0 while a
// Node or the host's unit is not Ready, because flannel is not the cause then.
func (n *nodesAndUnits) facts(i int) networkFacts {
	f := networkFacts{Unit: n.units[i], Nodes: *n.nodes, Ways: n.ways(i)}
	key, missing := "network "+n.hosts[i].Name, f.missingRoutes(n.hosts[i], n.spec.PodNetwork, n.hosts)
	if len(missing) == 0 || health.StateOf(append(judgeNodes(n.hosts, *n.nodes),
		host.JudgeUnit(n.hosts[i], n.units[i]))) != health.Ready {
		n.stable.Forget(key)
		return f
	}
	f.Seconds = n.stable.Seconds(key, strings.Join(missing, ","))
	return f
}

// ways returns a host's routes to the other hosts that have a Node.
func (n *nodesAndUnits) ways(i int) []way {
	var ways []way
	for j, other := range n.hosts {
		at := slices.IndexFunc(n.nodes.Nodes,
			func(node nodeFacts) bool { return node.Name == other.Name })
		if j == i || at < 0 {
			continue
		}
		w := way{To: other.Name, Host: n.nodes.Nodes[at].InternalIP}
		w.Kubelet = n.answers[i][w.Host]
		if pods := n.nodes.Nodes[at].PodCIDR; hasRoute(n.spec.PodNetwork, pods, n.units[i].Routes) {
			w.Address = podAddress(pods, n.units[j])
			w.Answer = n.answers[i][w.Address]
			w.Pod = n.nodes.Nodes[at].Pod
			w.Forward = n.answers[i][w.Pod]
		}
		ways = append(ways, w)
	}
	return ways
}
