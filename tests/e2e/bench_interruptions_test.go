//go:build bench

package e2e

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interruptions are the ways to interrupt a run of Pulumi. The kernel sends SIGKILL when memory
// runs out. A user sends SIGINT, and a second SIGINT if the run does not end at once. With "network
// lost", the hosts are unreachable for networkLostFor.
var interruptions = []string{"SIGKILL", "SIGINT", "SIGINT twice", "network lost"}

const (
	// endsWithin is the timeout for the end of an interrupted run, which waits for the hosts that
	// it is changing.
	endsWithin = 5 * time.Minute
	// networkLostFor is longer than the timeouts of SSH connections and API requests.
	networkLostFor = 20 * time.Second
)

// running is a running command with its own process group.
type running struct {
	cmd    *exec.Cmd
	output *signal
	// ended is closed once the command has ended. Then err is the command's result.
	ended chan struct{}
	err   error
}

// begin starts a command and returns at once.
func (s *stack) begin(t *testing.T, name string, args ...string) *running {
	t.Helper()
	r := &running{cmd: s.command(root, name, args...), output: newSignal(""),
		ended: make(chan struct{})}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.cmd.Stdout, r.cmd.Stderr = r.output, r.output
	require.NoError(t, r.cmd.Start())
	go func() {
		r.err = r.cmd.Wait()
		close(r.ended)
	}()
	return r
}

// interrupt interrupts the command and waits for its end.
func (r *running) interrupt(t *testing.T, how string, net network) {
	switch how {
	case "SIGKILL":
		r.send(t, syscall.SIGKILL)
	case "SIGINT":
		r.send(t, syscall.SIGINT)
	case "SIGINT twice":
		r.send(t, syscall.SIGINT)
		time.Sleep(time.Second) // a user's reaction time
		r.send(t, syscall.SIGINT)
	case "network lost":
		filterBridge(t, "-I", net)
		time.Sleep(networkLostFor)
		filterBridge(t, "-D", net)
	}
	r.wait(t)
}

func (r *running) send(t *testing.T, signal syscall.Signal) {
	if err := syscall.Kill(-r.cmd.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) { // ESRCH: it has ended
		require.NoError(t, err)
	}
}

// wait waits until the command has ended. After endsWithin, it kills the command and fails the
// test.
func (r *running) wait(t *testing.T) {
	select {
	case <-r.ended:
	case <-time.After(endsWithin):
		r.send(t, syscall.SIGKILL)
		require.Fail(t, "it did not end", "%s within %s\n%s", r.cmd, endsWithin, r.output.text())
	}
}

// toEnd returns the arguments of a Pulumi subcommand that asks no questions.
func (s *stack) toEnd(subcommand string) []string {
	return []string{subcommand, "--stack", s.name, "--config-file", s.config, "--yes",
		"--skip-preview", "--non-interactive", "--parallel", "32"}
}

// interrupted runs a subcommand of Pulumi and interrupts it after a time. It returns false if the
// command had succeeded before that.
func (s *stack) interrupted(
	t *testing.T, how string, after time.Duration, net network, subcommand string,
) bool {
	run := s.begin(t, "pulumi", s.toEnd(subcommand)...)
	select {
	case <-run.ended:
		require.NoError(t, run.err, "%s\n%s", subcommand, run.output.text())
		return false
	case <-time.After(after):
	}
	t.Logf("%s: %s after %s", subcommand, how, after.Round(100*time.Millisecond))
	run.interrupt(t, how, net)
	return true
}

// filterBridge adds (-I) or deletes (-D) rules that drop the packets between this machine and the
// hosts.
func filterBridge(t *testing.T, action string, net network) {
	for _, rule := range [][]string{{"INPUT", "-i"}, {"OUTPUT", "-o"}} {
		output, err := exec.Command("iptables", "-w", action, rule[0], rule[1], net.bridge, "-j",
			"DROP").CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
}
