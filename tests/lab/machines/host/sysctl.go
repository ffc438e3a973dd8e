package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// hostMinimums are values that this host's kernel shares with all machines. They are raised, never
// lowered, and stay.
var hostMinimums = []struct {
	name string
	min  int
	why  string
}{
	// systemd, containerd and kubelet of one machine take about 60 instances; Debian allows 128 in
	// all.
	{"fs/inotify/max_user_instances", 8192, "machines share it"},
	{"fs/inotify/max_user_watches", 524288, "machines share it"},
	{"net/ipv4/ip_forward", 1, "machines reach the world through this host"},
}

// RaiseSysctls raises values below their minimum, and reports each with say.
func RaiseSysctls(ctx context.Context, say func(format string, args ...any)) error {
	unlock, err := Lock(ctx, "sysctl")
	if err != nil {
		return err
	}
	defer unlock()
	for _, s := range hostMinimums {
		path := filepath.Join("/proc/sys", s.name)
		raw, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading sysctl: %w", err)
		}
		have, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			return fmt.Errorf("reading sysctl %s: %w", path, err)
		}
		if have >= s.min {
			continue
		}
		if err := os.WriteFile(path, []byte(strconv.Itoa(s.min)), 0); err != nil {
			return fmt.Errorf("raising sysctl %s from %d to %d: %w", s.name, have, s.min, err)
		}
		say("raised %s from %d to %d on this host: %s", strings.ReplaceAll(s.name, "/", "."), have, s.min, s.why)
	}
	return nil
}
