package health

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// nodesAndUnits holds the newest looks at Nodes and units, from which one judgement is made.
type nodesAndUnits struct {
	hosts []Host
	// registered takes the Nodes that there are for the hosts.
	registered bool
	// network is the Pod network, not valid where routes are not checked; asked is false without a key for the hosts.
	network netip.Prefix
	asked   bool
	settled *settled

	mu    sync.Mutex
	units []unitFacts
	nodes *nodesFacts
}

// update changes one part.
func (n *nodesAndUnits) update(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// judge returns nil until the Nodes were looked at: units alone say nothing about the cluster.
func (n *nodesAndUnits) judge() []Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.nodes == nil {
		return nil
	}
	if n.registered {
		return judgeRegistered(*n.nodes)
	}
	units := make([]Verdict, len(n.hosts))
	var routes []Verdict
	for i, host := range n.hosts {
		if !n.asked {
			units[i] = Verdict{Check: unitCheck(host), State: Skipped, Message: noKey}
			continue
		}
		units[i] = judgeUnit(host, n.units[i])
		if n.network.IsValid() {
			routes = append(routes, judgePodNetwork(host, n.network, n.hosts, n.facts(i)))
		}
	}
	return slices.Concat(units, judgeNodes(n.hosts, *n.nodes), routes)
}

// facts puts together what one host's routes are judged by. Routes that are missing while an end of them is down are not held
// against flannel.
func (n *nodesAndUnits) facts(i int) networkFacts {
	f := networkFacts{Unit: n.units[i], Nodes: *n.nodes}
	key, missing := "network "+n.hosts[i].Name, f.missing(n.hosts[i], n.network, n.hosts)
	if len(missing) == 0 || sum(append(judgeNodes(n.hosts, *n.nodes), judgeUnit(n.hosts[i], n.units[i]))) != Ready {
		n.settled.forget(key)
		return f
	}
	f.Seconds = n.settled.seconds(key, strings.Join(missing, ","))
	return f
}
