package address

import (
	"context"
	"os/exec"
)

// arpTable returns the kernel's table of IPv4 addresses and their hardware addresses, as arp(8)
// prints it. If arp fails, arpTable returns no text, and the check cannot name the address's owner.
func arpTable(ctx context.Context) string {
	text, _ := exec.CommandContext(ctx, "/usr/sbin/arp", "-an").Output()
	return string(text)
}
