package rootfs

import (
	"fmt"
)

// networkFile sorts before systemd's 80-container-host0.network, which would use DHCP, and before
// cloud-init's 10-cloud-init-host0.network, which waits for an unneeded IPv6 address and so delays
// sshd.
const networkFile = "05-strata.network"

// networkUnit configures the machine's end of the veth pair for systemd-networkd.
func networkUnit(id Identity) string {
	return fmt.Sprintf(`# Made by Strata.
[Match]
Name=host0

[Network]
Address=%s
Gateway=%s
DHCP=no
LinkLocalAddressing=no
IPv6AcceptRA=no
`, id.Address, id.Gateway)
}
