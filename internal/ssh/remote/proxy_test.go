package remote_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// relay returns a ProxyCommand that connects to a server. The command writes its process id to
// file.
func relay(t *testing.T, to remote.Target) (command, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "pid")
	return fmt.Sprintf(`bash -c 'echo $$ > %s; exec 3<>/dev/tcp/%s/%d; cat <&3 & cat >&3'`, file,
		to.Address, to.Port), file
}

// gone reports whether the process whose id is in a file has ended.
func gone(t *testing.T, file string) bool {
	t.Helper()
	var pid int
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = fmt.Sscan(string(text), &pid)
	require.NoError(t, err)
	return syscall.Kill(-pid, 0) != nil
}

func TestDialConnectsThroughProxyCommand(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	command, file := relay(t, target)
	target.Address, target.ProxyCommand = "203.0.113.1", command
	client, err := remote.Dial(soon(t), target, server.PrivateKey())
	require.NoError(t, err)
	result, err := client.Run(soon(t), "cat", []byte("through it"))
	require.NoError(t, err)
	assert.Equal(t, "through it", string(result.Stdout))
	assert.False(t, gone(t, file))
	require.NoError(t, client.Close())
	require.Eventually(t, func() bool {
		return gone(t, file)
	}, 5*time.Second, 10*time.Millisecond, "it ends with the connection")
	key, err := remote.Dialer{}.Scan(soon(t), target)
	require.NoError(t, err)
	assert.Equal(t, server.HostKey(), key)
}

// bash runs ~/.bashrc if its stdin is a socket and SHLVL does not name an outer shell, as in a timer
// or in CI. That file may print something, or read the stream.
func TestProxyCommandsShellDoesNotRunBashrc(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, ".bashrc"), []byte("touch ~/ran; cat\n"),
		0o600))
	t.Setenv("HOME", home)
	t.Setenv("SHELL", bash)
	t.Setenv("SHLVL", "0")
	server := sshtest.Start(t)
	target := server.Target()
	target.ProxyCommand, _ = relay(t, target)
	client, err := remote.Dial(soon(t), target, server.PrivateKey())
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.NoFileExists(t, filepath.Join(home, "ran"))
}

func TestProxyCommandConnectsToFirstJumpHost(t *testing.T) {
	jumps, _, target, keys := chain(t, 2)
	command, file := relay(t, jumps[0].Target())
	target.Jump[0].Address, target.Jump[0].ProxyCommand = "203.0.113.1", command
	client, err := remote.Dial(soon(t), target, keys)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.Eventually(t, func() bool { return gone(t, file) }, 5*time.Second, 10*time.Millisecond)

	tunnel, err := remote.Dialer{PrivateKey: keys}.DialJumpHost(soon(t),
		remote.Target{Jump: target.Jump})
	require.NoError(t, err, "a tunnel is opened so")
	require.NoError(t, tunnel.Close())
}

func TestFailingProxyCommandErrorQuotesItsOutput(t *testing.T) {
	server := sshtest.Start(t)
	target := server.Target()
	target.ProxyCommand = "cloudflared-gone access ssh --token hunter2"
	_, err := remote.Dial(soon(t), target, server.PrivateKey())
	var proxy *remote.ProxyError
	require.ErrorAs(t, err, &proxy)
	assert.True(t, proxy.Missing)
	require.ErrorContains(t, err,
		"ProxyCommand cloudflared-gone: it ended (exit status 127) before sshd answered; it says: ")
	assert.NotContains(t, err.Error(), "hunter2")

	target.ProxyCommand = "sh -c 'echo no such tunnel >&2; exit 3'"
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	_, err = remote.Dial(ctx, target, server.PrivateKey())
	require.ErrorIs(t, err, context.DeadlineExceeded, "it may come: a host boots")
	require.ErrorContains(t, err,
		"ProxyCommand sh: it ended (exit status 3) before sshd answered; it says: no such tunnel")
}

func TestProxyCommandGetsNoSecrets(t *testing.T) {
	t.Setenv("STRATA_SSH_KEY", "must not leak")
	t.Setenv("AWS_PROFILE", "work")
	environment := strings.Join(remote.Environment(), "\n")
	assert.NotContains(t, environment, "must not leak")
	assert.Contains(t, environment, "AWS_PROFILE=work")
}
