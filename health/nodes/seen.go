package nodes

import (
	"net/netip"
	"slices"
	"strings"
	"sync"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

// nodesAndUnits holds the newest observations of Nodes and units, from which one judgement is made.
type nodesAndUnits struct {
	hosts []health.Host
	// registered takes the Nodes that there are for the hosts.
	registered bool
	// network is the Pod network, not valid where routes are not checked; asked is false without a key for the hosts.
	network netip.Prefix
	asked   bool
	stable  *observe.Stable

	mu    sync.Mutex
	units []host.UnitFacts
	nodes *Facts
}

// update changes one part.
func (n *nodesAndUnits) update(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// judge returns nil until the Nodes were observed: units alone say nothing about the cluster.
func (n *nodesAndUnits) judge() []health.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.nodes == nil {
		return nil
	}
	if n.registered {
		return JudgeRegistered(*n.nodes)
	}
	units := make([]health.Verdict, len(n.hosts))
	var routes []health.Verdict
	for i, h := range n.hosts {
		if !n.asked {
			units[i] = health.Verdict{Check: host.UnitCheck(h), State: health.Skipped, Message: host.NoKey}
			continue
		}
		units[i] = host.JudgeUnit(h, n.units[i])
		if n.network.IsValid() {
			routes = append(routes, judgePodNetwork(h, n.network, n.hosts, n.facts(i)))
		}
	}
	return slices.Concat(units, judgeNodes(n.hosts, *n.nodes), routes)
}

// facts puts together what one host's routes are judged by. Routes that are missing while an end of them is down are not held
// against flannel.
func (n *nodesAndUnits) facts(i int) networkFacts {
	f := networkFacts{Unit: n.units[i], Nodes: *n.nodes}
	key, missing := "network "+n.hosts[i].Name, f.missing(n.hosts[i], n.network, n.hosts)
	if len(missing) == 0 || health.StateOf(append(judgeNodes(n.hosts, *n.nodes), host.JudgeUnit(n.hosts[i], n.units[i]))) != health.Ready {
		n.stable.Forget(key)
		return f
	}
	f.Seconds = n.stable.Seconds(key, strings.Join(missing, ","))
	return f
}
