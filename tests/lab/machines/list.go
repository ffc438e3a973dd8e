package machines

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"strata/tests/lab/machines/cgroup"
)

// State reports whether a machine runs, is paused, is stopped or is incomplete.
type State string

// States that List reports.
const (
	Running State = "running"
	Paused  State = "paused"
	Stopped State = "stopped"
	// Incomplete is the state of a machine whose creation is running or was interrupted.
	Incomplete State = "incomplete"
)

// Status describes a machine.
type Status struct {
	Name    string     `json:"name"`
	State   State      `json:"state"`
	Address netip.Addr `json:"address"`
	Bridge  string     `json:"bridge"`
	// AuthorizedKey is the public key of the machine's owner.
	AuthorizedKey string `json:"authorizedKey"`
	// Pid is this host's process id of the machine's init process, for nsenter; 0 if the machine
	// does not run.
	Pid int `json:"pid"`
}

// List returns all machines of this host, sorted by name.
func List() ([]Status, error) {
	specs, err := allSpecs()
	if err != nil {
		return nil, err
	}
	all := []Status{}
	for _, spec := range specs {
		status := Status{Name: spec.Name, Address: spec.Address, Bridge: spec.Bridge,
			AuthorizedKey: spec.AuthorizedKey}
		if status.State, err = stateOf(spec.Name); err != nil {
			return nil, err
		}
		if status.State == Running || status.State == Paused {
			status.Pid = leader(spec.Name)
		}
		all = append(all, status)
	}
	return all, nil
}

func stateOf(name string) (State, error) {
	if !isReady(name) {
		return Incomplete, nil
	}
	pid, err := supervisorPid(name)
	if err != nil || pid == 0 {
		return Stopped, err
	}
	frozen, err := cgroup.Frozen(name)
	if frozen {
		return Paused, err
	}
	return Running, err
}

// leader returns the machine's init process: the child of nspawn, which is the child of the
// supervisor. It returns 0 while the machine boots or does not run.
func leader(name string) int {
	supervisor, err := supervisorPid(name)
	if err != nil || supervisor == 0 {
		return 0
	}
	return onlyChild(onlyChild(supervisor))
}

func onlyChild(pid int) int {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if pid == 0 || err != nil {
		return 0
	}
	for _, task := range tasks {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if fields := strings.Fields(string(raw)); err == nil && len(fields) > 0 {
			child, _ := strconv.Atoi(fields[0])
			return child
		}
	}
	return 0
}
