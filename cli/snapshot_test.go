package cli

import (
	"crypto/sha256"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote/sshtest"
)

// A partial copy has Secrets of the cluster, so the next copy must remove it.
func TestSnapshotCopyRemovesPartialFileOfKilledCopy(t *testing.T) {
	folder, killed := t.TempDir(), t.TempDir()
	server := snapshotServer(t, sha256.Sum256([]byte("etcd's data")), "etcd's data")
	answer := server.Handler
	server.Handler = func(call sshtest.Call) int {
		if step(call.Script) != "save" { // during the copy, folder has the files that a kill would leave
			assert.NoError(t, os.CopyFS(killed, os.DirFS(folder)))
		}
		return answer(call)
	}
	fakePulumi(t, clusterState(t, server, "server-1"))
	code, _, stderr := invoke(t, "", "snapshot", "-s", "dev", "--to", folder)
	require.Equal(t, 0, code, stderr)
	left, err := os.ReadDir(killed)
	require.NoError(t, err)
	require.NotEmpty(t, left)
	server.Handler = answer
	fakePulumi(t, clusterState(t, server, "server-1"))
	code, _, stderr = invoke(t, "", "snapshot", "-s", "dev", "--to", killed)
	require.Equal(t, 0, code, stderr)
	left, err = os.ReadDir(killed)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, "on-demand-server-1-1", left[0].Name())
}

// If the user interrupts a snapshot, the message does not suggest a restore, and no other server is
// asked.
func TestInterruptedSnapshotAsksNoFurtherServer(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		// The command handles this signal like an interrupt at a terminal.
		assert.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
		<-call.Gone
		return 1
	}
	fakePulumi(t, clusterState(t, server, "server-1", "server-2"))
	code, _, stderr := invoke(t, "", "snapshot", "-s", "dev")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "snapshot on server-1: ")
	assert.Contains(t, stderr, "context canceled")
	assert.NotContains(t, stderr, "server-2")
	assert.NotContains(t, stderr, "restore")
}
