package network

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"strata/tests/lab/machines/host"
)

// LinkOf returns the name of this host's interface for the machine whose init process is pid; empty
// if it cannot be found.
func LinkOf(ctx context.Context, pid int) string {
	if pid == 0 {
		return ""
	}
	out, err := host.Run(ctx, "nsenter", "--target", strconv.Itoa(pid), "--net", "ip", "-json", "link", "show", "host0")
	if err != nil {
		return ""
	}
	var links []struct {
		Peer int `json:"link_index"`
	}
	if err := json.Unmarshal(out, &links); err != nil || len(links) != 1 {
		return ""
	}
	indexes, err := filepath.Glob(sysNet("*", "ifindex"))
	if err != nil {
		return ""
	}
	for _, path := range indexes {
		if text, err := os.ReadFile(path); err == nil &&
			strings.TrimSpace(string(text)) == strconv.Itoa(links[0].Peer) {
			return filepath.Base(filepath.Dir(path))
		}
	}
	return ""
}

// Unplug removes a machine's interface on this host, and with it the peer inside the machine.
// Otherwise, the kernel keeps the network of a killed machine for minutes, until the last
// connection times out. That network still responds to ARP.
func Unplug(ctx context.Context, link string) error {
	if link == "" {
		return nil
	}
	if _, err := os.Stat(sysNet(link)); err != nil {
		return nil
	}
	if _, err := host.Run(ctx, "ip", "link", "delete", link); err != nil {
		if _, gone := os.Stat(sysNet(link)); gone != nil {
			return nil
		}
		return fmt.Errorf("unplugging %s: %w", link, err)
	}
	return nil
}
