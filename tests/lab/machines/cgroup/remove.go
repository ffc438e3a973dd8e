package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// Remove removes the machine's cgroups, including those that its own processes created.
func Remove(ctx context.Context, name string) error {
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
		if err := removeTree(ctx, h.base(name)); err != nil {
			return fmt.Errorf("removing cgroup: %w", err)
		}
		if err := removeParent(ctx, h, filepath.Dir(h.base(name))); err != nil {
			return fmt.Errorf("removing cgroup: %w", err)
		}
	}
	return nil
}

// Empty kills every process in a leaf of the machine, and removes the cgroups below the leaf.
func Empty(ctx context.Context, name, leaf string) error {
	if err := Kill(name, leaf); err != nil {
		return err
	}
	if err := WaitGone(ctx, name, leaf); err != nil {
		return err
	}
	all, err := hostHierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := removeChildren(ctx, filepath.Join(h.base(name), leaf)); err != nil {
			return fmt.Errorf("emptying cgroup: %w", err)
		}
	}
	return nil
}

// removeParent removes the parent cgroup that all machines share, if no machine is left. With
// systemd it stops the slice, and systemd removes the cgroup.
func removeParent(ctx context.Context, h hierarchy, parent string) error {
	if !h.v2 || !host.HasSystemd() {
		if err := os.Remove(parent); err != nil && !isBusyOrGone(err) {
			return err
		}
		return nil
	}
	units, err := filepath.Glob(filepath.Join(parent, host.UnitName("*")))
	if err != nil || len(units) > 0 {
		return err
	}
	_, err = host.Run(ctx, "systemctl", "stop", host.UnitSlice)
	return err
}

// removeTree removes a cgroup and all cgroups below it, innermost first. A cgroup remains busy for
// a moment after its last process was killed.
func removeTree(ctx context.Context, top string) error {
	var dirs []string
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(dirs) {
		if err := host.RetryBusy(ctx, func() error { return os.Remove(d) }); err != nil {
			return err
		}
	}
	return nil
}

// removeChildren removes all cgroups below top, but not top itself.
func removeChildren(ctx context.Context, top string) error {
	entries, err := os.ReadDir(top)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := removeTree(ctx, filepath.Join(top, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func isBusyOrGone(err error) bool {
	return errors.Is(err, unix.EBUSY) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist)
}
