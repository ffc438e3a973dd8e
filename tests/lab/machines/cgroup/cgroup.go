package cgroup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"strata/tests/lab/machines/host"
)

// hierarchy is a mounted cgroup hierarchy of this host.
type hierarchy struct {
	path string
	v2   bool
}

// hierarchies returns the hierarchies in a mountinfo text. A v2 host has one hierarchy. A v1 host
// has one for each controller, and may also have a v2 hierarchy.
func hierarchies(mountinfo string) []hierarchy {
	var all []hierarchy
	for lines := bufio.NewScanner(strings.NewReader(mountinfo)); lines.Scan(); {
		before, after, _ := strings.Cut(lines.Text(), " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if len(head) < 5 || len(tail) < 1 || (tail[0] != "cgroup" && tail[0] != "cgroup2") {
			continue
		}
		all = append(all, hierarchy{path: head[4], v2: tail[0] == "cgroup2"})
	}
	return all
}

func hostHierarchies() ([]hierarchy, error) {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find cgroups: %w", err)
	}
	all := hierarchies(string(raw))
	if len(all) == 0 {
		return nil, errors.New("no cgroup hierarchy is mounted on this host; mount one at /sys/fs/cgroup")
	}
	return all, nil
}

// Each machine has one cgroup in each hierarchy, with two child cgroups (leaves). LeafMachine has
// nspawn and the machine's processes. LeafKeeper has the supervisor, so that it keeps running when
// the machine is frozen or killed. v2 allows processes only in cgroups without child cgroups.
const (
	LeafMachine = "machine"
	LeafKeeper  = "keeper"
)

// base returns the path of the machine's cgroup in h. On a host with systemd, the v2 hierarchy
// belongs to systemd. The machine's cgroup is then that of its delegated unit.
func (h hierarchy) base(name string) string {
	if h.v2 && host.HasSystemd() {
		return filepath.Join(h.path, host.UnitSlice, host.UnitName(name))
	}
	return filepath.Join(h.path, "strata", name)
}

// Ensure creates the machine's cgroups. Only the supervisor calls it, because with systemd the
// unit's cgroup exists only once the supervisor runs.
func Ensure(ctx context.Context, name string) error {
	unlock, err := host.Lock(ctx, "cgroup")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := hostHierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		base := h.base(name)
		for _, leaf := range []string{LeafKeeper, LeafMachine} {
			if err := os.MkdirAll(filepath.Join(base, leaf), 0o755); err != nil {
				return fmt.Errorf("making cgroup: %w", err)
			}
			if err := inheritCpuset(h.path, filepath.Join(base, leaf)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inheritCpuset copies the root's values to new v1 cpusets. A process cannot join a cpuset without
// values.
func inheritCpuset(root, leaf string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(root, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		rel, _ := filepath.Rel(root, leaf)
		at := root
		for _, part := range strings.Split(rel, "/") {
			at = filepath.Join(at, part)
			have, readErr := os.ReadFile(filepath.Join(at, file))
			if err = errors.Join(err, readErr); err == nil && strings.TrimSpace(string(have)) == "" {
				err = writeValue(filepath.Join(at, file), string(value))
			}
		}
		if err != nil {
			return fmt.Errorf("preparing cpuset %s: %w", leaf, err)
		}
	}
	return nil
}

// Join moves this process into a leaf of the machine in every hierarchy.
func Join(name, leaf string) error {
	all, err := hostHierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := writeValue(filepath.Join(h.base(name), leaf, "cgroup.procs"), strconv.Itoa(os.Getpid())); err != nil {
			return fmt.Errorf("joining cgroup: %w", err)
		}
	}
	return nil
}

func writeValue(path, value string) error {
	return os.WriteFile(path, []byte(value), 0)
}
