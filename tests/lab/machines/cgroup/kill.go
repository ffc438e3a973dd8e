package cgroup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// Kill kills every process in a leaf of the machine at once, like a power cut. Killing only nspawn
// would leave its children running. Frozen processes are killed, too.
func Kill(name, leaf string) error {
	h, ok, err := preferred()
	if err != nil || !ok {
		return errors.Join(err, killV1(name, leaf))
	}
	err = writeExisting(filepath.Join(h.base(name), leaf, "cgroup.kill"), "1")
	if errors.Is(err, fs.ErrNotExist) {
		return killV1(name, leaf)
	}
	if err != nil {
		return fmt.Errorf("killing machine %s: %w", name, err)
	}
	return nil
}

// preferred returns the v2 hierarchy, and reports whether there is one. v2 can kill and freeze a
// whole cgroup, even if all controllers are on v1.
func preferred() (h hierarchy, ok bool, err error) {
	all, err := hostHierarchies()
	if err != nil {
		return hierarchy{}, false, err
	}
	i := slices.IndexFunc(all, func(h hierarchy) bool { return h.v2 })
	if i < 0 {
		return hierarchy{}, false, nil
	}
	return all[i], true, nil
}

// killV1 thaws the machine, and then kills the processes in all hierarchies until none is left,
// because processes may fork meanwhile.
func killV1(name, leaf string) error {
	if err := SetFrozen(name, false); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for {
		pids, err := processes(name, leaf)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("killing process %d of machine %s: %w", pid, name, err)
			}
		}
	}
}

// WaitGone waits until the kernel has released every process of the machine, including its mounts
// and interfaces.
func WaitGone(ctx context.Context, name, leaf string) error {
	return host.RetryBusy(ctx, func() error {
		pids, err := processes(name, leaf)
		if err == nil && len(pids) > 0 {
			return fmt.Errorf("machine %s still has %d processes: %w", name, len(pids), unix.EBUSY)
		}
		return err
	})
}

// processes returns the ids of the machine's live processes in all hierarchies.
func processes(name, leaf string) ([]int, error) {
	all, err := hostHierarchies()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, h := range all {
		err := filepath.WalkDir(filepath.Join(h.base(name), leaf),
			func(path string, entry fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if err != nil || entry.Name() != "cgroup.procs" {
					return err
				}
				found, err := readPids(path)
				pids = append(pids, found...)
				return err
			})
		if err != nil {
			return nil, fmt.Errorf("listing the processes of machine %s: %w", name, err)
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

func readPids(path string) ([]int, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pids []int
	for lines := bufio.NewScanner(strings.NewReader(string(raw))); lines.Scan(); {
		pid, err := strconv.Atoi(lines.Text())
		if err == nil && !isZombie(pid) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, found := strings.Cut(string(stat), ") ")
	return err != nil || found && strings.HasPrefix(after, "Z")
}
