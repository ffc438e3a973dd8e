package rootfs

import (
	"fmt"
)

// networkFile is the name of the network configuration. It sorts before 80-container-host0.network
// of systemd, which would use DHCP. It also sorts before cloud-init's 10-cloud-init-host0.network,
// which waits for an unneeded IPv6 address and so delays sshd.
const networkFile = "05-strata.network"

// networkUnit returns systemd-networkd's configuration of the machine's interface.
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
