package scaffold

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"strata/config"
)

const (
	// poolSize is the number of addresses in the proposed range for LoadBalancer Services, if as
	// many are free in a row.
	poolSize = 11
	// poolMargin is the number of addresses left free below the broadcast address, where
	// administrators often put their devices.
	poolMargin = 4
	// maxProbes bounds the number of probed addresses; of a larger network, the last ones are
	// probed.
	maxProbes = 256
)

// candidates returns the addresses at the end of a network that no known machine has, the lowest
// first.
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

// takenBy returns the addresses that hosts have, use as gateways, or know as neighbours.
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

// freeRange returns the last run of poolSize free addresses, below the margin if one fits there.
// Without such a run, it returns the longest run. free is sorted; if it is empty, there is no
// range.
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

// runs returns the runs of successive addresses.
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

// length counts the addresses of a range.
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
