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

// hierarchy is one mounted cgroup hierarchy of this host.
type hierarchy struct {
	path string
	v2   bool
}

// hierarchies parses mountinfo text: one hierarchy on a pure v2 host, one per controller (and
// perhaps a v2 one) on v1.
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

// Each machine has one cgroup per hierarchy, with two leaves. machine holds nspawn and everything
// in it. keeper holds the supervisor, so that it can act on a frozen or killed machine. The leaves
// also keep v2's rule of no processes beside child cgroups.
const (
	LeafMachine = "machine"
	LeafKeeper  = "keeper"
)

// base returns the machine's cgroup in h. With systemd on the host, its v2 hierarchy is systemd's:
// there it is the cgroup of the machine's delegated unit.
func (h hierarchy) base(name string) string {
	if h.v2 && host.HasSystemd() {
		return filepath.Join(h.path, host.UnitSlice, host.UnitName(name))
	}
	return filepath.Join(h.path, "strata", name)
}

// Ensure makes the machine's cgroups. The supervisor calls it, because with systemd its unit's
// cgroup exists only then.
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

// inheritCpuset copies the parent's values to a new v1 cpuset; without them no process may join.
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

// Join moves this process into the machine's leaf of every hierarchy.
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
