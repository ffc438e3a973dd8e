package recovery

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// zombie is the status SZOMB of an exited process for which its parent has not waited yet
// (sys/proc.h).
const zombie = 5

// processes returns all readable processes. It leaves out processes that exit meanwhile.
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

// readProcess returns a process without its working directory, or os.ErrProcessDone.
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

// machine returns an ID that differs between machines and boots; "" if it cannot be read.
func machine() string {
	session, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return session
}

// startOf returns the program, arguments and environment with which a process started. It fails for
// other users' processes.
func startOf(pid int) (start, error) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return start{}, err
	}
	return parseStart(raw)
}

// folders maps this user's processes to their working directories. Only libproc has them, which
// needs cgo, so folders runs macOS's lsof.
func folders() (map[int]string, error) {
	const lsof = "/usr/sbin/lsof"
	// lsof exits with an error if it cannot read a process, but prints the readable processes.
	out, err := exec.Command(lsof, "-w", "-n", "-P", "-a", "-d", "cwd", "-u",
		strconv.Itoa(os.Getuid()),
		"-F", "pn").Output()
	if len(out) == 0 && err != nil {
		return nil, fmt.Errorf("%s, which tells their folders: %w", lsof, err)
	}
	return parseFolders(string(out)), nil
}

// program returns the path of a process's executable; "" for other users' processes.
func (p process) program() string {
	told, _ := startOf(p.pid) // on an error, the program may still be set
	return told.program
}

// environment returns a process's environment as NAME=VALUE; nil if it cannot be read.
func (p process) environment() []string {
	told, _ := startOf(p.pid)
	return told.environment
}
