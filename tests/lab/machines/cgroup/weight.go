package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

// usualWeight is the default weight of a cgroup, by the file that has it: cpu.shares in v1, and
// cpu.weight in v2.
var usualWeight = map[string]int{"cpu.shares": 1024, "cpu.weight": 100}

// SetWeight sets a machine's weight for processor time to a multiple (1 to 100) of the default. The
// weight matters only while processor time is scarce. The error is fs.ErrNotExist if the machine or
// the cpu controller does not exist.
func SetWeight(name string, times int) error {
	return setWeight(times, func(h hierarchy) string { return h.base(name) })
}

// SetCommonWeight sets the weight of all machines together, in multiples of the default. They
// compete with other cgroups of this host, and in v1 also with single processes.
func SetCommonWeight(times int) error {
	return setWeight(times, func(h hierarchy) string { return filepath.Dir(h.base("any")) })
}

func setWeight(times int, of func(hierarchy) string) error {
	all, err := hostHierarchies()
	if err != nil {
		return err
	}
	written := false
	for _, h := range all {
		for file, usual := range usualWeight {
			err := writeExisting(filepath.Join(of(h), file), strconv.Itoa(times*usual))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("weighing: %w", err)
			}
			written = written || err == nil
		}
	}
	if !written {
		return fmt.Errorf("weighing: no cgroup with cpu.shares or cpu.weight: %w", fs.ErrNotExist)
	}
	return nil
}
