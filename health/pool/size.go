package pool

import (
	"math/big"
	"net/netip"
	"strings"
)

// poolSize counts addresses as MetalLB does (internal/allocator poolCount). It returns 0 if a text
// is invalid, if the number is too large to compare, or if MetalLB avoids buggy addresses.
func poolSize(addresses []string, avoidBuggy bool) int64 {
	var total int64
	for _, text := range addresses {
		first, last, ok := addressRange(text)
		if !ok || avoidBuggy {
			return 0
		}
		difference := new(big.Int).Sub(new(big.Int).SetBytes(last.AsSlice()),
			new(big.Int).SetBytes(first.AsSlice()))
		if difference.Sign() < 0 || difference.BitLen() > 32 {
			return 0
		}
		total += difference.Int64() + 1
	}
	return total
}

// addressRange parses a range "first-last" or a CIDR.
func addressRange(text string) (first, last netip.Addr, ok bool) {
	if from, to, dashed := strings.Cut(text, "-"); dashed {
		// A text that cannot be parsed gives the zero Addr, which is not valid and has no bits.
		first, _ = netip.ParseAddr(strings.TrimSpace(from))
		last, _ = netip.ParseAddr(strings.TrimSpace(to))
		return first, last, first.IsValid() && first.BitLen() == last.BitLen()
	}
	prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
	if err != nil {
		return first, last, false
	}
	first = prefix.Masked().Addr()
	bytes := first.AsSlice()
	for bit := prefix.Bits(); bit < first.BitLen(); bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, ok = netip.AddrFromSlice(bytes)
	return first, last, ok
}
