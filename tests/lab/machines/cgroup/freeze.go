package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SetFrozen freezes or thaws every process of the machine.
func SetFrozen(name string, frozen bool) error {
	path, on, off, err := freezer(name)
	if err != nil {
		return err
	}
	value := off
	if frozen {
		value = on
	}
	if err := writeExisting(path, value); err != nil {
		return fmt.Errorf("freezing or thawing machine %s: %w", name, err)
	}
	return nil
}

// freezer returns the file that freezes a machine, and the values that freeze (on) and thaw (off)
// it.
func freezer(name string) (path, on, off string, err error) {
	h, ok, err := preferred()
	if err != nil {
		return "", "", "", err
	}
	if ok {
		return filepath.Join(h.base(name), LeafMachine, "cgroup.freeze"), "1", "0", nil
	}
	all, err := hostHierarchies()
	if err != nil {
		return "", "", "", err
	}
	for _, h := range all {
		path := filepath.Join(h.base(name), LeafMachine, "freezer.state")
		if _, err := os.Stat(path); err == nil {
			return path, "FROZEN", "THAWED", nil
		}
	}
	return "", "", "", fmt.Errorf("cgroup freezer: %w", fs.ErrNotExist)
}

// Frozen reports whether the machine is frozen. A machine without cgroups is not.
func Frozen(name string) (bool, error) {
	path, on, _, err := freezer(name)
	if err != nil {
		return false, err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return strings.TrimSpace(string(raw)) == on, err
}
