package recovery

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc/PID/stat: USER_HZ, 100 on every Linux.
const clockTick = 10 * time.Millisecond

// processes returns all readable processes. It leaves out those that end meanwhile.
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
	// The name, in parentheses, may itself have spaces and parentheses. The text after the last one
	// is regular (proc(5)).
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
	// The folders of other users' processes cannot be read. Such processes are not ours.
	found.dir, _ = os.Readlink(filepath.Join(dir, "cwd"))
	return found, nil
}

// machine returns a text that differs between machines, boots and containers; empty if the kernel
// does not tell.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + namespace
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

// program returns the path of the file that a process runs; empty for other users' processes, which
// cannot be read.
func (p process) program() string {
	// The process's name is readable even if this link is not.
	program, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe"))
	return program
}

// environment returns a process's environment, NAME=VALUE each; empty if it cannot be read.
func (p process) environment() []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}
