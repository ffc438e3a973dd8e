package remote_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

func TestRunPassesScriptAndInputUnchanged(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	input := "line 'one'\n\x00\xff two" + strings.Repeat("x", 300_000)
	result, err := client.Run(soon(t), "printf '%s!\\n' \"it's\"; cat; echo oops >&2",
		[]byte(input))
	require.NoError(t, err)
	assert.Equal(t, "it's!\n"+input, string(result.Stdout))
	assert.Equal(t, "oops\n", string(result.Stderr))
}

func TestRunReportsExitCodeAndOutputButNotTheScript(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	result, err := client.Run(soon(t), "token=secret-in-script; echo out; echo no such unit >&2; exit 7", nil)
	var exit *remote.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 7, exit.Code)
	assert.Equal(t, 7, result.Code)
	assert.Equal(t, "out\n", string(result.Stdout))
	assert.Contains(t, err.Error(), "no such unit")
	assert.NotContains(t, err.Error(), "secret-in-script")
}

func TestHostProcessArgumentsHideScriptAndInput(t *testing.T) {
	server := sshtest.Start(t)
	client := connect(t, server)
	script := "secret=in-the-script; for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <\"$f\" 2>/dev/null; echo; done"
	result, err := client.Run(soon(t), script, []byte("in-the-input"))
	require.NoError(t, err)
	assert.Contains(t, string(result.Stdout), "sh -c")
	assert.NotContains(t, string(result.Stdout), "secret=in-the-script; for f")
	assert.NotContains(t, strings.Join(server.Commands(), "\n"), "in-the-")
}

func TestScriptIsKilledWhenContextEnds(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	ctx, cancel := context.WithCancel(soon(t))
	var child int
	err := client.Stream(ctx, "sleep 300 & echo $!; wait", nil, func(line string) {
		child, _ = strconv.Atoi(line)
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	requireGone(t, child)
}

func TestScriptIsKilledWhenConnectionIsLost(t *testing.T) {
	server := sshtest.Start(t)
	client := connect(t, server)
	var child int
	err := client.Stream(soon(t), "sleep 300 & echo $!; wait", nil, func(line string) {
		child, _ = strconv.Atoi(line)
		server.Cut()
	})
	require.ErrorContains(t, err, "connection to host-1")
	requireGone(t, child)
}

func TestScriptThatIgnoresSIGTERMIsKilled(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	ctx, cancel := context.WithCancel(soon(t))
	var child int
	err := client.Stream(ctx, "trap '' TERM; sh -c 'echo $$; while :; do sleep 1; done'", nil,
		func(line string) {
			child, _ = strconv.Atoi(line)
			cancel()
		})
	require.ErrorIs(t, err, context.Canceled)
	requireGone(t, child)
}

func TestNonRootUserRunsSudoWithoutPassword(t *testing.T) {
	server := sshtest.Start(t)
	server.User = "admin"
	server.Sudo = `[ "$1 $2 $3 $4" = "-n -u root --" ] && shift 4 && AS_ROOT=yes exec "$@"`
	result, err := connect(t, server).Run(soon(t), `echo "$AS_ROOT"; cat`, []byte("input"))
	require.NoError(t, err)
	assert.Equal(t, "yes\ninput", string(result.Stdout))
}

func TestSudoPasswordPromptErrorNamesNOPASSWD(t *testing.T) {
	server := sshtest.Start(t)
	server.User = "admin"
	server.Sudo = `echo "sudo: a password is required" >&2; exit 1`
	_, err := connect(t, server).Run(soon(t), "true", nil)
	require.ErrorIs(t, err, remote.ErrSudo)
	assert.Contains(t, err.Error(), "NOPASSWD")
}

func TestStreamPassesLinesAsTheyArrive(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	var at []time.Time
	err := client.Stream(soon(t), "echo a; sleep 0.3; echo b", nil,
		func(string) { at = append(at, time.Now()) })
	require.NoError(t, err)
	require.Len(t, at, 2)
	assert.Greater(t, at[1].Sub(at[0]), 100*time.Millisecond)
}

// requireGone waits until no process has the id; a zombie does not count.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.NotZero(t, pid)
	require.Eventually(t, func() bool {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 10*time.Second, 20*time.Millisecond, "process %d is still there", pid)
}

// A script must not continue after Stream has stopped reading its output.
func TestOutputLineAboveLimitKillsScript(t *testing.T) {
	client := connect(t, sshtest.Start(t))
	var child int
	start := time.Now()
	err := client.Stream(soon(t),
		"sleep 300 & echo $!; head -c 5000000 /dev/zero | tr '\\0' x; echo; wait", nil,
		func(line string) {
			child, _ = strconv.Atoi(line)
		})
	require.ErrorIs(t, err, bufio.ErrTooLong)
	assert.Less(t, time.Since(start), 7*time.Second, "and not with its caller's time")
	requireGone(t, child)
}
