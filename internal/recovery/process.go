package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is what /proc says about one process.
type process struct {
	pid, parent, session int
	started              time.Time
	args                 []string
	dir                  string
}

// clockTick is the unit of times in /proc/PID/stat: USER_HZ, 100 on every Linux.
const clockTick = 10 * time.Millisecond

// alive is true unless the process that had a number at a time is certainly gone: no process has it, or one that is no Pulumi and started
// later.
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
	// The kernel has when a process started in ticks since the boot, and what that is in the lock's time depends on today's clock: set forward
	// since, it makes the owner itself look younger than its lock.
	if found.isPulumi() {
		return true
	}
	// Both clocks are coarse, and the owner writes its lock after it has started.
	return !found.started.After(at.Add(time.Second))
}

// isPulumi says whether a process is Pulumi's command line, which is who takes locks.
func (p process) isPulumi() bool {
	program, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe")) // other users' cannot be read; what they are called can
	return filepath.Base(program) == "pulumi" || len(p.args) > 0 && filepath.Base(p.args[0]) == "pulumi"
}

// processes are all processes that can be read. Those that end meanwhile are left out.
func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	var all []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if found, err := readProcess(pid); err == nil {
			all = append(all, found)
		}
	}
	return all, nil
}

func readProcess(pid int) (process, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return process{}, err
	}
	// The name, in parentheses, may hold spaces and parentheses: what follows the last one is regular (proc(5)).
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, parent, session, start = 0, 1, 3, 19
	if len(fields) <= start || fields[state] == "Z" {
		return process{}, os.ErrProcessDone
	}
	found := process{pid: pid}
	if found.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return process{}, err
	}
	if found.session, err = strconv.Atoi(fields[session]); err != nil {
		return process{}, err
	}
	ticks, err := strconv.ParseInt(fields[start], 10, 64)
	if err != nil {
		return process{}, err
	}
	boot, err := bootTime()
	if err != nil {
		return process{}, err
	}
	found.started = boot.Add(time.Duration(ticks) * clockTick)
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return process{}, err
	}
	found.args = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	// Other users' processes do not tell their folder; they are not ours.
	found.dir, _ = os.Readlink(filepath.Join(dir, "cwd"))
	return found, nil
}

func bootTime() (time.Time, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(string(text)) {
		if seconds, ok := strings.CutPrefix(line, "btime "); ok {
			since, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
			return time.Unix(since, 0), err
		}
	}
	return time.Time{}, fmt.Errorf("/proc/stat has no btime")
}

// variable is a variable of a process's environment.
func (p process) variable(name string) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
	if err != nil {
		return ""
	}
	for _, assignment := range strings.Split(string(text), "\x00") {
		if value, ok := strings.CutPrefix(assignment, name+"="); ok {
			return value
		}
	}
	return ""
}
