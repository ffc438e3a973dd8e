package address

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
)

const (
	// awaySeconds must pass without a connection of this machine before the hosts are asked for
	// their view. MetalLB announces an address within a second or two.
	awaySeconds = 10
	// networkLimit bounds one observation of the hosts' network, and networkInterval is the pause
	// after it.
	networkLimit, networkInterval = 30 * time.Second, 10 * time.Second
)

// announcement holds the answers for the address that one host sees on its network. A host that
// announces the address itself sees none, and so do all hosts if no node announces it.
type announcement struct {
	Host string `json:"host"`
	MAC  string `json:"mac,omitempty"`
	// Ours is true if the answer came from a node.
	Ours bool `json:"ours,omitempty"`
}

// judgeAway judges the case that this machine reaches the hosts but not the address's network,
// because a firewall or a VPN lets it through to the hosts only. A connection from a host proves
// nothing about the announcer, because kube-proxy takes it there. A neighbour that answers for the
// address does prove it.
func judgeAway(here health.Verdict, f addressFacts) health.Verdict {
	near := f.Who.Nodes[f.Who.MAC] != "" // a node answers this machine for the address
	if here.Passes() || near || f.Away < awaySeconds || len(f.Hosts.Runs) == 0 {
		return here
	}
	if slices.ContainsFunc(f.Hosts.Runs, func(run host.Run) bool { return !run.HasPassed() }) {
		return here
	}
	seen := ""
	for _, one := range f.Announced {
		switch {
		case one.MAC != "" && !one.Ours:
			here.Cause = one.MAC + ", which is no node's, answers for it on the network of " +
				one.Host
			return here
		case one.MAC != "":
			seen = one.Host
		}
	}
	if seen == "" {
		return here
	}
	return health.Verdict{State: health.Skipped,
		Message: here.Message + ". Seen from the hosts instead: " + seen +
			" sees a node answer for it, and every host connects"}
}

// unreachable reports whether each port failed in the way in which it fails on a network without a
// route.
func unreachable(dials []dialFacts) bool {
	return len(dials) > 0 && !slices.ContainsFunc(dials, func(d dialFacts) bool {
		return d.Way.Down() || !strings.Contains(d.Error, "timeout") &&
			!strings.Contains(d.Error, "no route") && !strings.Contains(d.Error, "unreachable")
	})
}

// observeFromHosts asks the hosts which machine answers on their network, while this machine cannot
// connect.
func (w *addressWatch) observeFromHosts(ctx context.Context) {
	for ctx.Err() == nil {
		if address, nodes := w.away(); address != "" {
			seen := observeAnnouncements(ctx, w.hosts, w.key, address, nodes)
			w.take(address, func(f *addressFacts) { f.Announced = seen })
		}
		observe.WaitFor(ctx, nil, networkInterval)
	}
}

// away returns the address that this machine has failed to reach for long enough, and the nodes'
// addresses.
func (w *addressWatch) away() (address string, nodes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts.Away >= awaySeconds {
		address = w.facts.Service.Address
	}
	return address, slices.Collect(maps.Values(w.facts.nodes))
}

// observeAnnouncements returns the view of each host, in the hosts' order.
func observeAnnouncements(
	ctx context.Context, hosts []health.Host, key []byte, address string, nodes []string,
) []announcement {
	list := make([]announcement, len(hosts))
	script := host.WithSettings(host.PoolScript,
		map[string]string{"addresses": address, "nodes": strings.Join(nodes, " ")})
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() {
			bounded, stop := context.WithTimeout(ctx, networkLimit)
			defer stop()
			list[i] = announcement{Host: h.Name}
			host.Stream(bounded, h, key, script, func(b host.Block) {
				list[i] = announcementOf(h.Name, b)
				stop()
			}, func(error) {})
		})
	}
	all.Wait()
	return list
}

func announcementOf(host string, b host.Block) announcement {
	seen := announcement{Host: host}
	if _, mac, ok := strings.Cut(b.Get("answers"), " "); ok {
		seen.MAC, seen.Ours = mac, slices.Contains(b["ours"], mac)
	}
	return seen
}
