package address

import (
	"context"
	"os/exec"
)

// arpTable is who has which IPv4 address on this machine's networks, as arp(8) shows what the
// kernel knows; empty where it does not run, and then nothing is said of who answers.
func arpTable(ctx context.Context) string {
	text, _ := exec.CommandContext(ctx, "/usr/sbin/arp", "-an").Output()
	return string(text)
}
