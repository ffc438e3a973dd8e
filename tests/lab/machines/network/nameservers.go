package network

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// Nameservers returns the IPv4 name servers in a resolv.conf, without loopback addresses, which
// machines cannot reach.
func Nameservers(resolvConf string) ([]netip.Addr, error) {
	f, err := os.Open(resolvConf)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find name servers: %w", err)
	}
	defer func() { _ = f.Close() }()
	var addrs []netip.Addr
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if addr, err := netip.ParseAddr(fields[1]); err == nil && addr.Is4() && !addr.IsLoopback() {
			addrs = append(addrs, addr)
		}
	}
	return addrs, nil
}
