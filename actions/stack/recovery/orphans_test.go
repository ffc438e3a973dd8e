package recovery

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/nettest"
)

func TestOrphansAreProjectProcessesWithoutEngine(t *testing.T) {
	all := []process{
		{pid: 10, session: 1, dir: "/p",
			args: []string{"/h/pulumi-resource-command", "127.0.0.1:1"}},
		{pid: 11, parent: 10, session: 1, dir: "/p",
			args: []string{"/bin/sh", "-c", "strata gate"}},
		{pid: 12, parent: 11, session: 1, dir: "/p", args: []string{"strata", "gate"}},
		{pid: 13, parent: 11, session: 13, dir: "/p", args: []string{"strata", "tunnel-serve"}},
		{pid: 20, session: 1, dir: "/p", args: []string{"pulumi-resource-random", "127.0.0.1:2"}},
		{pid: 21, session: 1, dir: "/other",
			args: []string{"pulumi-resource-random", "127.0.0.1:1"}},
		{pid: 22, session: 1, dir: "/p-beside",
			args: []string{"pulumi-resource-random", "127.0.0.1:1"}},
		{pid: 23, session: 1, dir: "/p/sub",
			args: []string{"pulumi-language-go", "-root=/p", "127.0.0.1:1"}},
		{pid: 24, session: 1, dir: "/p", args: []string{"vim"}},
	}
	var pids []int
	for _, p := range orphans(all, "/p", func(address string) bool { return address == "127.0.0.1:2" }) {
		pids = append(pids, p.pid)
	}
	assert.Equal(t, []int{10, 23, 11, 12}, pids)
}

// plugin starts a process that looks like an engine's plugin. Its child ignores SIGTERM.
func plugin(t *testing.T, dir, engine string) (*exec.Cmd, <-chan error) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "pulumi-resource-test")
	body := "#!/bin/sh\n(trap '' TERM; echo ready; exec sleep 60) &\nwait\n"
	require.NoError(t, os.WriteFile(script, []byte(body), 0o755))
	// The kernel would put sh first in a script's command line; a plugin is a binary.
	command := &exec.Cmd{Path: "/bin/sh", Args: []string{"pulumi-resource-test", script, engine},
		Dir: dir}
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	ready := make([]byte, len("ready\n"))
	_, err = out.Read(ready)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	t.Cleanup(func() { _ = command.Process.Kill() })
	return command, done
}

func TestPluginOfDeadEngineIsKilledWithItsCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until SIGKILL is due")
	}
	b := newBench(t)
	command, done := plugin(t, b.ProjectDir, nettest.Closed(t).Address.String())
	children := childrenOf(t, command.Process.Pid)
	require.NotEmpty(t, children)
	_, err := b.Run(t.Context())
	require.NoError(t, err)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the plugin lives")
	}
	for _, child := range children {
		assert.False(t, alive(child, time.Now()), "the plugin's command %d lives", child)
	}
	assert.Contains(t, b.log.String(), "ending process")
}

func TestPluginOfRunningEngineIsNotKilled(t *testing.T) {
	engine, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = engine.Close() }()
	b := newBench(t)
	command, _ := plugin(t, b.ProjectDir, engine.Addr().String())
	_, err = b.Run(t.Context())
	require.NoError(t, err)
	assert.NoError(t, command.Process.Signal(syscall.Signal(0)))
	assert.NotContains(t, b.log.String(), "ending process")
	for _, child := range childrenOf(t, command.Process.Pid) {
		require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
	}
}

func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	all, err := processes()
	require.NoError(t, err)
	var children []int
	for _, p := range all {
		if p.parent == parent {
			children = append(children, p.pid)
		}
	}
	return children
}
