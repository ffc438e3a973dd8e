package tunnel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
)

// flock(1) and CI runners hold a lock through an open file that all their child processes inherit.
func TestTunnelProcessInheritsNoOpenFiles(t *testing.T) {
	lock, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	require.NoError(t, err)
	defer func() { _ = lock.Close() }()
	inherited, err := syscall.Dup(int(lock.Fd()))
	require.NoError(t, err)
	defer func() { _ = syscall.Close(inherited) }()
	started := func() string {
		listed, err := exec.CommandContext(t.Context(), "sh", "-c",
			"ls -l /dev/fd/").CombinedOutput()
		require.NoError(t, err)
		return string(listed)
	}
	require.Contains(t, started(), lock.Name())
	require.NoError(t, keepToItself())
	assert.NotContains(t, started(), lock.Name())
}

func TestTunnelEnvironmentOmitsPulumiVariables(t *testing.T) {
	t.Setenv("PULUMI_ENGINE", "127.0.0.1:1")
	t.Setenv("PULUMI_CONFIG_PASSPHRASE", "secret")
	t.Setenv("SSH_AUTH_SOCK", "/run/agent")
	text := strings.Join(remote.Environment(), "\n")
	assert.NotContains(t, text, "PULUMI",
		"the next run would take it for a part of a dead one, and end it")
	assert.Contains(t, text, "SSH_AUTH_SOCK=/run/agent")
}
