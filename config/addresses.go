package config

import (
	"fmt"
	"net/netip"
	"strings"
)

// Range is a run of IP addresses, both ends included.
type Range struct {
	First, Last netip.Addr
}

// ParseRange parses the two forms of a range that MetalLB knows: first-last and CIDR.
func ParseRange(text string) (Range, error) {
	if first, last, dash := strings.Cut(text, "-"); dash {
		from, err := netip.ParseAddr(strings.TrimSpace(first))
		if err != nil {
			return Range{}, fmt.Errorf("first address: %w", err)
		}
		to, err := netip.ParseAddr(strings.TrimSpace(last))
		if err != nil {
			return Range{}, fmt.Errorf("last address: %w", err)
		}
		if from.BitLen() != to.BitLen() {
			return Range{}, fmt.Errorf("first and last address are of different families")
		}
		if to.Less(from) {
			return Range{}, fmt.Errorf("last address comes before the first")
		}
		return Range{First: from, Last: to}, nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return Range{}, fmt.Errorf("neither first-last nor CIDR: %w", err)
	}
	return RangeOf(prefix), nil
}

// RangeOf returns the range of all addresses of a network, including its network and broadcast
// addresses.
func RangeOf(prefix netip.Prefix) Range {
	first := prefix.Masked().Addr()
	last := first.AsSlice()
	for bit := prefix.Bits(); bit < first.BitLen(); bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	end, _ := netip.AddrFromSlice(last)
	return Range{First: first, Last: end}
}

// Contains reports whether the address lies in the range.
func (r Range) Contains(address netip.Addr) bool {
	return r.First.BitLen() == address.BitLen() && r.First.Compare(address) <= 0 &&
		address.Compare(r.Last) <= 0
}

// Overlaps reports whether the ranges share an address.
func (r Range) Overlaps(other Range) bool {
	return r.Contains(other.First) || other.Contains(r.First)
}

// IsWithin reports whether every address of the range lies in other.
func (r Range) IsWithin(other Range) bool {
	return other.Contains(r.First) && other.Contains(r.Last)
}

// String returns the range in the form first-last.
func (r Range) String() string { return r.First.String() + "-" + r.Last.String() }
