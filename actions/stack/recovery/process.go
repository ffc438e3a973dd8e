package recovery

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process describes one process as the kernel sees it: /proc on Linux, sysctl on macOS.
type process struct {
	pid, parent, session int
	started              time.Time
	args                 []string
	dir                  string
}

// alive returns false only if the process that had the number pid at a time is certainly gone. In
// that case no process has the number, or a process has it that is not Pulumi and started later.
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
	// The kernel has a process's start in ticks since the boot. Its time on the lock's clock
	// depends on today's clock. If that was set forward since, the owner looks younger than its
	// lock.
	if found.isPulumi() {
		return true
	}
	// Both clocks are coarse, and the owner writes its lock after it has started.
	return !found.started.After(at.Add(time.Second))
}

// isPulumi reports whether a process is Pulumi's command line, which takes the locks.
func (p process) isPulumi() bool {
	return filepath.Base(p.program()) == "pulumi" || len(p.args) > 0 &&
		filepath.Base(p.args[0]) == "pulumi"
}

// variable returns a variable of a process's environment.
func (p process) variable(name string) string {
	for _, assignment := range p.environment() {
		if value, ok := strings.CutPrefix(assignment, name+"="); ok {
			return value
		}
	}
	return ""
}
