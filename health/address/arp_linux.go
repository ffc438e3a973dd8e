package address

import (
	"context"
	"os"
)

// arpTable returns the owners of IPv4 addresses on this machine's networks, from the kernel's table
// (proc(5)); empty on a machine that has none.
func arpTable(context.Context) string {
	text, _ := os.ReadFile("/proc/net/arp")
	return string(text)
}
