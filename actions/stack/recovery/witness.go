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

// lockTime bounds the time from the start of a Pulumi to its lock.
const lockTime = 10 * time.Minute

// run is a Pulumi of this project that Strata saw running. A lock has only a host's name, which
// another machine or a container may share.
type run struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Machine string    `json:"machine"`
}

// runFile returns the file that records the run of a process in a project.
func runFile(projectDir string, pid int) string {
	return filepath.Join(projectDir, ".strata", "repair", "runs", strconv.Itoa(pid)+".json")
}

// NoteRun records that a Pulumi of a project runs here. Once that is dead, the record shows that
// its lock is not another machine's.
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

// NoteParent records the Pulumi that runs this process, if one is found and readable.
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

// isFromHere reports whether a run that was seen on this machine since its boot took the lock.
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
