package scaffold

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"strata/config"
)

const (
	// poolSize is the number of addresses in the proposed range for LoadBalancer Services. The
	// range is smaller if no run of free addresses is that long.
	poolSize = 11
	// poolMargin is the number of addresses below the broadcast address that stay free, because
	// administrators often put their devices there.
	poolMargin = 4
	// maxProbes bounds the number of probed addresses. In a larger network, only the last ones are
	// probed.
	maxProbes = 256
)

// candidates returns the last maxProbes addresses of a network, in ascending order, without those
// in taken.
func candidates(subnet netip.Prefix, taken map[netip.Addr]bool) []netip.Addr {
	all := config.RangeOf(subnet)
	first, last := toNumber(all.First)+1, toNumber(all.Last)-1
	if last-first >= maxProbes {
		first = last - maxProbes + 1
	}
	var free []netip.Addr
	for at := first; at <= last; at++ {
		if address := toAddress(at); !taken[address] {
			free = append(free, address)
		}
	}
	return free
}

// takenBy returns the addresses of the hosts, of their gateways and of their neighbours.
func takenBy(hosts []Host) map[netip.Addr]bool {
	taken := map[netip.Addr]bool{}
	for _, host := range hosts {
		taken[host.Address] = true
		for _, one := range host.Facts.Interfaces {
			taken[one.Address.Addr()] = true
		}
		for _, route := range host.Facts.Routes {
			taken[route.Gateway] = true
		}
		for _, neighbour := range host.Facts.Neighbours {
			taken[neighbour] = true
		}
	}
	return taken
}

// freeRange returns the last run of poolSize consecutive free addresses. It stays below the margin
// if the run is long enough. If no run is that long, it returns the longest one. free is sorted; if
// it is empty, ok is false.
func freeRange(subnet netip.Prefix, free []netip.Addr) (config.Range, bool) {
	below := toNumber(config.RangeOf(subnet).Last) - poolMargin
	var longest config.Range
	for _, run := range slices.Backward(runs(free)) {
		last := toNumber(run.Last)
		if length(run) < poolSize {
			if !longest.First.IsValid() || length(run) > length(longest) {
				longest = run
			}
			continue
		}
		if last >= below && below-toNumber(run.First) >= poolSize {
			last = below - 1
		}
		return config.Range{First: toAddress(last - poolSize + 1), Last: toAddress(last)}, true
	}
	return longest, longest.First.IsValid()
}

// runs groups consecutive addresses into ranges.
func runs(addresses []netip.Addr) []config.Range {
	var all []config.Range
	for _, address := range addresses {
		if n := len(all); n > 0 && all[n-1].Last.Next() == address {
			all[n-1].Last = address
			continue
		}
		all = append(all, config.Range{First: address, Last: address})
	}
	return all
}

// length returns the number of addresses in a range.
func length(r config.Range) int { return int(toNumber(r.Last)-toNumber(r.First)) + 1 }

func toNumber(address netip.Addr) uint32 {
	bytes := address.As4()
	return binary.BigEndian.Uint32(bytes[:])
}

func toAddress(number uint32) netip.Addr {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], number)
	return netip.AddrFrom4(bytes)
}
