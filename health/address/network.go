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
	// awaySeconds is the number of seconds without a connection from this machine, after which the
	// hosts look for the address on their network. MetalLB announces an address within two seconds.
	awaySeconds = 10
	// networkLimit is the timeout of one look-up of the address by a host. networkInterval is the
	// pause between two look-ups.
	networkLimit, networkInterval = 30 * time.Second, 10 * time.Second
)

// announcement is the machine that one host sees at the address on its network. MAC is empty on the
// host that announces the address itself, and on all hosts if no node announces it.
type announcement struct {
	Host string `json:"host"`
	MAC  string `json:"mac,omitempty"`
	// Ours is true if MAC belongs to a node of the cluster.
	Ours bool `json:"ours,omitempty"`
}

// judgeAway returns Skipped instead of a failed verdict if only this machine cannot reach the
// address, for example because of a firewall. Every host must connect, and one must see a node's
// ARP answer. A connection from a host alone proves nothing, because kube-proxy redirects it on the
// host.
func judgeAway(here health.Verdict, f addressFacts) health.Verdict {
	near := f.Who.Nodes[f.Who.MAC] != "" // a node answers for the address on this machine's network
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

// unreachable reports whether every port failed with a timeout or without a route, and none because
// of the tunnel. Without ports it returns false.
func unreachable(dials []dialFacts) bool {
	return len(dials) > 0 && !slices.ContainsFunc(dials, func(d dialFacts) bool {
		return d.Way.Down() || !strings.Contains(d.Error, "timeout") &&
			!strings.Contains(d.Error, "no route") && !strings.Contains(d.Error, "unreachable")
	})
}

// observeFromHosts makes the hosts look up which machine has the address, as long as this machine
// does not reach the address.
func (w *addressWatch) observeFromHosts(ctx context.Context) {
	for ctx.Err() == nil {
		if address, nodes := w.away(); address != "" {
			seen := observeAnnouncements(ctx, w.hosts, w.key, address, nodes)
			w.take(address, func(f *addressFacts) { f.Announced = seen })
		}
		observe.WaitFor(ctx, nil, networkInterval)
	}
}

// away returns the address that this machine has not reached for awaySeconds, and the nodes'
// addresses. The address is empty if this machine reaches it, or has not reached it for less than
// awaySeconds.
func (w *addressWatch) away() (address string, nodes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.facts.Away >= awaySeconds {
		address = w.facts.Service.Address
	}
	return address, slices.Collect(maps.Values(w.facts.nodes))
}

// observeAnnouncements returns one announcement for each host, in the order of hosts.
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
