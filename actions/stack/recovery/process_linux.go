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

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, which is 100 on every Linux.
const clockTick = 10 * time.Millisecond

// processes returns all readable processes. It leaves out processes that exit meanwhile.
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
	// The command name is in parentheses and may itself contain spaces and parentheses. Only the
	// fields after the last ")" can be split (proc(5)).
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
	// The working directory of another user's process cannot be read and stays "", so the process
	// does not count as the project's.
	found.dir, _ = os.Readlink(filepath.Join(dir, "cwd"))
	return found, nil
}

// machine returns an ID that differs between machines, boots and containers; "" if it cannot be
// read.
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

// program returns the path of a process's executable; "" for other users' processes.
func (p process) program() string {
	program, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe"))
	return program
}

// environment returns a process's environment as NAME=VALUE; nil if it cannot be read.
func (p process) environment() []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "environ"))
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}
