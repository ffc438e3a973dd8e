package host

import (
	"encoding/hex"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// routesOf converts the probe's lines of /proc/net/route to CIDR notation, and ignores invalid
// lines. A line has destination and mask as eight hexadecimal digits each, the last byte of the
// address first (amd64 and arm64 are little-endian; proc_net(5)).
func routesOf(lines []string) []string {
	var routes []string
	for _, line := range lines {
		to, mask, _ := strings.Cut(line, " ")
		address, err := hex.DecodeString(to)
		if err != nil || len(address) != 4 {
			continue
		}
		slices.Reverse(address)
		ones, err := strconv.ParseUint(mask, 16, 32)
		if err != nil {
			continue
		}
		routes = append(routes, netip.PrefixFrom(netip.AddrFrom4([4]byte(address)),
			bits.OnesCount64(ones)).String())
	}
	return routes
}
