package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// hostMinimums are the minimums of sysctls that this host shares with all machines. Values are
// raised, never lowered, and not restored.
var hostMinimums = []struct {
	name string
	min  int
	why  string
}{
	// systemd, containerd and kubelet of one machine use about 60 inotify instances. Debian's
	// default is 128 for the whole host.
	{"fs/inotify/max_user_instances", 8192, "machines share it"},
	{"fs/inotify/max_user_watches", 524288, "machines share it"},
	{"net/ipv4/ip_forward", 1, "machines reach the world through this host"},
}

// RaiseSysctls raises sysctls that are below their minimum, and reports each change with say.
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
