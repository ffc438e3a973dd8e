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

// interruptions are how a run of Pulumi breaks off: a machine without memory or a closed terminal; a person who stops it; one who does not wait
// for that; and the hosts out of reach for a while.
var interruptions = []string{"SIGKILL", "SIGINT", "SIGINT twice", "network lost"}

const (
	// endsWithin bounds what an interrupted run does before it ends: it waits for the hosts that it changes just then.
	endsWithin = 5 * time.Minute
	// networkLostFor is longer than SSH's and the API's connections wait for an answer.
	networkLostFor = 20 * time.Second
)

// interrupted runs a subcommand of Pulumi and interrupts it after a time. False when it had ended by then, successfully.
func (s *stack) interrupted(t *testing.T, how string, after time.Duration, net network, subcommand string) bool {
	cmd := s.command(root, "pulumi", subcommand, "--stack", s.name, "--config-file", s.config, "--yes", "--skip-preview", "--non-interactive", "--parallel", "32")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output := &transcript{}
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		require.NoError(t, err, "%s\n%s", subcommand, output.text.String())
		return false
	case <-time.After(after):
	}
	t.Logf("%s: %s after %s", subcommand, how, after.Round(100*time.Millisecond))
	send := func(signal syscall.Signal) {
		if err := syscall.Kill(-cmd.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) { // it has ended by now
			require.NoError(t, err)
		}
	}
	switch how {
	case "SIGKILL":
		send(syscall.SIGKILL)
	case "SIGINT":
		send(syscall.SIGINT)
	case "SIGINT twice":
		send(syscall.SIGINT)
		time.Sleep(time.Second) // a person's second thought
		send(syscall.SIGINT)
	case "network lost":
		filterBridge(t, "-I", net)
		time.Sleep(networkLostFor)
		filterBridge(t, "-D", net)
	}
	select {
	case <-ended:
	case <-time.After(endsWithin):
		send(syscall.SIGKILL)
		require.Fail(t, "it did not end", "%s within %s of %s\n%s", subcommand, endsWithin, how, output.text.String())
	}
	return true
}

// filterBridge drops (-I) what this machine and the hosts send each other, or no longer does (-D).
func filterBridge(t *testing.T, action string, net network) {
	for _, rule := range [][]string{{"INPUT", "-i"}, {"OUTPUT", "-o"}} {
		output, err := exec.Command("iptables", "-w", action, rule[0], rule[1], net.bridge, "-j", "DROP").CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
}
