//go:build bench

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/k3s/drain"
)

// pid returns the process id, on this machine, of a lab machine's process 1.
func (l *hostSet) pid(t *testing.T, name string) int {
	t.Helper()
	for _, machine := range allMachines(t) {
		if machine.Name == l.machine(name) && machine.Pid != 0 {
			return machine.Pid
		}
	}
	require.Fail(t, "it does not run", name)
	return 0
}

// grows returns a check whether a file on a host that matches pattern has content.
func grows(host, pattern string) func(*acted, *testing.T) func(string) bool {
	return func(a *acted, t *testing.T) func(string) bool {
		pattern := fmt.Sprintf("/proc/%d/root%s", a.machines.pid(t, host), pattern)
		return func(string) bool {
			files, _ := filepath.Glob(pattern)
			return slices.ContainsFunc(files, func(file string) bool {
				info, err := os.Stat(file)
				return err == nil && info.Size() > 0
			})
		}
	}
}

// runsOn returns a check whether a process on a host has a text among its arguments. It ignores
// processes older than this call.
func runsOn(host, text string) func(*acted, *testing.T) func(string) bool {
	return func(a *acted, t *testing.T) func(string) bool {
		inside, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", a.machines.pid(t, host)))
		require.NoError(t, err)
		old := map[string]bool{}
		for _, process := range processes() {
			old[process] = true
		}
		return func(string) bool {
			return slices.ContainsFunc(processes(), func(process string) bool {
				if old[process] {
					return false // to read all processes takes longer than some actions
				}
				file := filepath.Join("/proc", process, "cmdline")
				arguments, err := os.ReadFile(file)
				if err != nil || !strings.Contains(string(arguments), text) {
					return false
				}
				mounts, err := os.Readlink(filepath.Join(filepath.Dir(file), "ns/mnt"))
				return err == nil && mounts == inside
			})
		}
	}
}

// processes returns the ids of all processes on this machine and in its machines.
func processes() (numbers []string) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = folder.Close() }()
	names, _ := folder.Readdirnames(0)
	return slices.DeleteFunc(names, func(name string) bool {
		return name[0] < '1' ||
			name[0] > '9'
	})
}

// says returns a check whether the command's output contains a text.
func says(text string) func(*acted, *testing.T) func(string) bool {
	return func(*acted, *testing.T) func(string) bool {
		return func(said string) bool { return strings.Contains(said, text) }
	}
}

// drains returns a check whether Strata has cordoned a node and a Pod on it is being deleted.
func drains(name string) func(*acted, *testing.T) func(string) bool {
	return func(a *acted, t *testing.T) func(string) bool {
		client := a.patientClient(t)
		return func(string) bool {
			node, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || !node.Spec.Unschedulable || node.Annotations[drain.Annotation] == "" {
				return false
			}
			pods, err := client.CoreV1().Pods("").List(t.Context(),
				metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
			if err != nil {
				return false
			}
			for i := range pods.Items {
				if pods.Items[i].DeletionTimestamp != nil {
					return true
				}
			}
			return false
		}
	}
}

// makes returns a check whether the hypervisor has a machine and has not started it yet.
func makes(name string) func(*acted, *testing.T) func(string) bool {
	return func(a *acted, t *testing.T) func(string) bool {
		return func(string) bool {
			made, found := a.pve.guest(t, a.machines.machine(name))
			return found && !made.Running
		}
	}
}

// tries returns a check whether the canary of shop gets its share of requests.
func tries(a *acted, t *testing.T) func(string) bool {
	client := a.patientClient(t)
	return func(string) bool {
		weights, err := weightsBy(t.Context(), client)
		return err == nil && slices.Equal(weights, []int{100 - canarySecond, canarySecond})
	}
}
