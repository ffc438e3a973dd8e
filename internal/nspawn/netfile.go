package nspawn

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// networkFile sorts before systemd's 80-container-host0.network, which would ask for DHCP, and before cloud-init's
// 10-cloud-init-host0.network: that one waits for an IPv6 address nobody needs, and delays sshd by its detection.
const networkFile = "05-strata.network"

// networkUnit configures the machine's end of the veth pair for systemd-networkd.
func networkUnit(spec Spec) string {
	return fmt.Sprintf(`# Made by Strata.
[Match]
Name=host0

[Network]
Address=%s/%d
Gateway=%s
DHCP=no
LinkLocalAddressing=no
IPv6AcceptRA=no
`, spec.Address, spec.Subnet.Bits(), spec.Gateway)
}

// hostNameservers are this host's IPv4 name servers that a machine can reach: not those on a loopback address.
func hostNameservers(resolvConf string) ([]netip.Addr, error) {
	f, err := os.Open(resolvConf)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for name servers: %w", err)
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
