package recovery

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"strata/internal/files/atomicfile"
)

// lockTime is the longest time between the start of a Pulumi process and its lock.
const lockTime = 10 * time.Minute

// run records a Pulumi process of this project that Strata saw on this machine. It is needed
// because a lock only has a host name, which another machine or container may share.
type run struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Machine string    `json:"machine"`
}

// runFile returns the path of the file that records a process's run in a project.
func runFile(projectDir string, pid int) string {
	return filepath.Join(projectDir, ".strata", "repair", "runs", strconv.Itoa(pid)+".json")
}

// NoteRun records that the Pulumi process pid runs in a project on this machine. When that process
// is dead, the record proves that its lock is not another machine's.
func NoteRun(projectDir string, pid int) error {
	found, err := readProcess(pid)
	if err != nil {
		return fmt.Errorf("noting process %d: %w", pid, err)
	}
	text, err := json.Marshal(run{PID: pid, Started: found.started, Machine: machine()})
	if err != nil {
		return err
	}
	file := runFile(projectDir, pid)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(file, text, 0o644)
}

// NoteParent records the Pulumi process that is an ancestor of this process, if there is one.
func NoteParent(projectDir string) error {
	for pid := os.Getppid(); pid > 1; {
		found, err := readProcess(pid)
		if err != nil {
			return nil
		}
		if found.isPulumi() {
			return NoteRun(projectDir, pid)
		}
		pid = found.parent
	}
	return nil
}

// isFromHere reports whether a run that Strata saw on this machine since its boot took the lock.
func (l lock) isFromHere(projectDir string) bool {
	text, err := os.ReadFile(runFile(projectDir, l.PID))
	if err != nil {
		return false
	}
	var seen run
	if json.Unmarshal(text, &seen) != nil || seen.Machine == "" || seen.Machine != machine() {
		return false
	}
	after := l.Timestamp.Sub(seen.Started)
	return after > -time.Second && after < lockTime
}
