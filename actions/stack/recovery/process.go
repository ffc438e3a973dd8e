package recovery

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process describes a process as the kernel reports it: /proc on Linux, sysctl on macOS.
type process struct {
	pid, parent, session int
	started              time.Time
	args                 []string
	dir                  string
}

// alive returns false only if the process that had this PID at the given time is certainly dead:
// the PID is unused, or a process that is not Pulumi and started later has it.
func alive(pid int, at time.Time) bool {
	if pid <= 0 || syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	found, err := readProcess(pid)
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	// The kernel records a start in ticks since boot, so its wall-clock time shifts with the clock.
	// If the clock was set forward since, the owner seems to be younger than its lock. So a Pulumi
	// process always counts as the owner.
	if found.isPulumi() {
		return true
	}
	// A process starts before it writes its lock; the second allows for coarse clocks.
	return !found.started.After(at.Add(time.Second))
}

// isPulumi reports whether a process is the pulumi command line, which takes the locks.
func (p process) isPulumi() bool {
	return filepath.Base(p.program()) == "pulumi" || len(p.args) > 0 &&
		filepath.Base(p.args[0]) == "pulumi"
}

// variable returns an environment variable of a process; "" if it is not set.
func (p process) variable(name string) string {
	for _, assignment := range p.environment() {
		if value, ok := strings.CutPrefix(assignment, name+"="); ok {
			return value
		}
	}
	return ""
}
