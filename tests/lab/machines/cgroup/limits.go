package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cpuPeriod is the kernel's default accounting period in microseconds.
const cpuPeriod = 100000

// Limits limit a machine's use of this host. 0 means no limit.
type Limits struct {
	MemoryMiB int
	// CPUs is the processor time, in processors.
	CPUs float64
}

// files returns the values to write, by file name. A file exists only in its hierarchy and cgroup
// version.
func (l Limits) files() map[string]string {
	values := map[string]string{
		"memory.limit_in_bytes": "-1", "cpu.cfs_quota_us": "-1", // v1
		"memory.max": "max", "cpu.max": "max", // v2
	}
	if l.MemoryMiB > 0 {
		bytes := strconv.Itoa(l.MemoryMiB << 20)
		values["memory.limit_in_bytes"], values["memory.max"] = bytes, bytes
	}
	if l.CPUs > 0 {
		quota := int(l.CPUs * cpuPeriod)
		values["cpu.cfs_quota_us"] = strconv.Itoa(quota)
		values["cpu.max"] = fmt.Sprintf("%d %d", quota, cpuPeriod)
	}
	return values
}

// Apply writes the limits to the machine's cgroups. It fails if this host has no controller for a
// requested limit.
func Apply(name string, limits Limits) error {
	all, err := hostHierarchies()
	if err != nil {
		return err
	}
	written := map[string]bool{}
	for _, h := range all {
		if err := enableControllers(h, name); err != nil {
			return err
		}
		for file, value := range limits.files() {
			err := writeExisting(filepath.Join(h.base(name), file), value)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("limiting the machine: %w", err)
			}
			controller, _, _ := strings.Cut(file, ".")
			written[controller] = written[controller] || err == nil
		}
	}
	if limits.MemoryMiB > 0 && !written["memory"] || limits.CPUs > 0 && !written["cpu"] {
		return errors.New("memoryMiB or cpus is set, but this host has no such cgroup controller; leave the limit out")
	}
	return nil
}

// enableControllers delegates all v2 controllers to the machine, because its kubelet needs them. v1
// needs no delegation.
func enableControllers(h hierarchy, name string) error {
	if !h.v2 {
		return nil
	}
	rel, err := filepath.Rel(h.path, h.base(name))
	if err != nil {
		return err
	}
	at := h.path
	for _, part := range strings.Split(rel, "/") {
		have, err := os.ReadFile(filepath.Join(at, "cgroup.controllers"))
		if err != nil {
			return fmt.Errorf("handing down cgroup controllers: %w", err)
		}
		for _, controller := range strings.Fields(string(have)) {
			// Skip a controller that is busy, for example cpu while real-time processes exist.
			// Apply fails if a limit needs it.
			if err := writeValue(filepath.Join(at, "cgroup.subtree_control"), "+"+controller); err != nil &&
				!isRefused(err) {
				return fmt.Errorf("handing down cgroup controller %s: %w", controller, err)
			}
		}
		at = filepath.Join(at, part)
	}
	return nil
}

func isRefused(err error) bool {
	return errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP)
}

// writeExisting writes a value to an existing file; otherwise it fails with fs.ErrNotExist. Opening
// a missing cgroup file for creation would fail with EACCES instead.
func writeExisting(path, value string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return writeValue(path, value)
}
