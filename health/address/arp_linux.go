package address

import (
	"context"
	"os"
)

// arpTable is who has which IPv4 address on this machine's networks, as the kernel knows it
// (proc(5)); empty on a machine that has none.
func arpTable(context.Context) string {
	text, _ := os.ReadFile("/proc/net/arp")
	return string(text)
}
