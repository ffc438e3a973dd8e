package recovery

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// zombie is the state of an ended process whose parent has not waited for it yet: SZOMB
// (sys/proc.h).
const zombie = 5

// processes returns all readable processes, which are this user's. It leaves out those that end
// meanwhile.
func processes() ([]process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	dirs, err := folders()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	var all []process
	for _, entry := range table {
		if found, err := processOf(entry); err == nil {
			found.dir = dirs[found.pid]
			all = append(all, found)
		}
	}
	return all, nil
}

// readProcess reads one process, without its folder.
func readProcess(pid int) (process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	if len(table) == 0 {
		return process{}, os.ErrProcessDone
	}
	return processOf(table[0])
}

func processOf(entry unix.KinfoProc) (process, error) {
	found := process{pid: int(entry.Proc.P_pid), parent: int(entry.Eproc.Ppid),
		started: time.Unix(entry.Proc.P_starttime.Unix())}
	if entry.Proc.P_stat == zombie {
		return process{}, os.ErrProcessDone
	}
	var err error
	if found.session, err = unix.Getsid(found.pid); err != nil {
		return process{}, err
	}
	told, err := startOf(found.pid)
	found.args = told.args
	return found, err
}

// machine returns a text that differs between machines and boots; empty if the kernel does not
// tell.
func machine() string {
	session, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return session
}

// startOf returns the kernel's record of a process's start. The record of another user's process
// cannot be read.
func startOf(pid int) (start, error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return start{}, err
	}
	return parseStart(raw)
}

// folders returns the folders of this user's processes. Only libproc knows them. A program without
// C runs lsof for them, which is part of macOS.
func folders() (map[int]string, error) {
	const lsof = "/usr/sbin/lsof"
	// lsof fails if it cannot read all processes, but prints those that it can.
	out, err := exec.Command(lsof, "-w", "-n", "-P", "-a", "-d", "cwd", "-u",
		strconv.Itoa(os.Getuid()),
		"-F", "pn").Output()
	if len(out) == 0 && err != nil {
		return nil, fmt.Errorf("%s, which tells their folders: %w", lsof, err)
	}
	return parseFolders(string(out)), nil
}

// program returns the path of the file that a process runs; empty for other users' processes, which
// cannot be read.
func (p process) program() string {
	told, _ := startOf(p.pid) // the name may be readable although the rest is not
	return told.program
}

// environment returns a process's environment, NAME=VALUE each; empty if it cannot be read.
func (p process) environment() []string {
	told, _ := startOf(p.pid)
	return told.environment
}
