package address

import (
	"context"
	"os"
)

// arpTable returns the kernel's table of IPv4 addresses and their hardware addresses
// (/proc/net/arp, proc(5)); empty if it cannot be read.
func arpTable(context.Context) string {
	text, _ := os.ReadFile("/proc/net/arp")
	return string(text)
}
