package backup

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"strata/actions/k3s/restore"
	"strata/actions/k3s/upgrade"
	"strata/health"
	"strata/internal/ssh/remote/sshtest"
)

// bounds records the timeouts that a command sets. A test expires all of them in the middle of a
// transfer, which stands for a transfer over a very slow line.
type bounds struct {
	mutex sync.Mutex
	begun []time.Duration
	ends  []context.CancelFunc
}

// watchBounds makes withTimeout record timeouts, and never expire by itself, until the test ends.
func watchBounds(t *testing.T) *bounds {
	b := &bounds{}
	withTimeout = func(ctx context.Context, limit time.Duration) (context.Context,
		context.CancelFunc) {
		ctx, end := context.WithCancel(ctx)
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.begun, b.ends = append(b.begun, limit), append(b.ends, end)
		return ctx, end
	}
	t.Cleanup(func() { withTimeout = context.WithTimeout })
	return b
}

// expire expires every timeout that was set so far, and returns their durations.
func (b *bounds) expire() []time.Duration {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, end := range b.ends {
		end()
	}
	return append([]time.Duration(nil), b.begun...)
}

// etcdSnapshot returns a snapshot of a database that has one revision.
func etcdSnapshot(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "on-demand-server-1-1")
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("meta"))
		require.NoError(t, err)
		keys, err := tx.CreateBucket([]byte("key"))
		require.NoError(t, err)
		first := append(binary.BigEndian.AppendUint64(nil, 1), '_')
		return keys.Put(binary.BigEndian.AppendUint64(first, 0), []byte("an object"))
	}))
	require.NoError(t, db.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	require.NoError(t, os.WriteFile(path, append(content, sum[:]...), 0o600))
	return path
}

// clusterOn returns a cluster whose only node is an SSH server, and whose API does not answer.
func clusterOn(server *sshtest.Server) Cluster {
	node := health.Host{Target: server.Target(), Role: "server"}
	return Cluster{
		plan: upgrade.Plan{SHA256: "00", Nodes: []health.Host{node},
			Servers: []string{"https://127.0.0.1:1"}},
		secrets: health.Secrets{SSHKey: server.PrivateKey()},
	}
}

func TestSnapshotTransferHasNoTimeout(t *testing.T) {
	limits, server := watchBounds(t), sshtest.Start(t)
	server.Handler = func(call sshtest.Call) int {
		answer := "etcd's data"
		if strings.Contains(call.Script, "cat -- '"+restore.Folder) {
			limits.expire()
		} else {
			answer = fmt.Sprintf("on-demand-server-1-1 11 %x\n", sha256.Sum256([]byte(answer)))
		}
		_, err := io.WriteString(call.Stdout, answer)
		assert.NoError(t, err)
		return 0
	}
	folder := t.TempDir()
	require.NoError(t, clusterOn(server).Save(t.Context(), folder, io.Discard, io.Discard))
	assert.FileExists(t, filepath.Join(folder, "on-demand-server-1-1"))
	assert.NotEmpty(t, limits.expire(), "the snapshot itself is bounded")
}

// When the servers stop, the restore still has its whole timeout of an hour.
func TestRestoreTimeoutStartsAfterTransfers(t *testing.T) {
	content, err := os.ReadFile(etcdSnapshot(t))
	require.NoError(t, err)
	limits, server := watchBounds(t), sshtest.Start(t)
	var before, stopped []time.Duration
	server.Handler = func(call sshtest.Call) int {
		script := strings.TrimRight(call.Script, "\n}")
		answer := "yes"
		switch {
		case strings.Contains(call.Script, "k3s.yaml"):
			answer = "1\n" // the server's clock, which precedes the text of K3s's kubeconfig
		case strings.Contains(call.Script, "cat -- '"+restore.Folder):
			limits.expire()
			answer = string(content)
		case strings.HasSuffix(script, "\nsum"):
			answer = fmt.Sprintf("%x\n", sha256.Sum256(content))
		case strings.Contains(call.Script, "stat -c %s -- \"$part\"; else echo 0"):
			answer = "none\n0\n"
		case strings.Contains(call.Script, "dd bs="):
			before = limits.expire()
			answer = ""
		case strings.HasSuffix(script, "\nstop"):
			stopped = limits.expire()
			return 1
		}
		_, err := io.WriteString(call.Stdout, answer)
		assert.NoError(t, err)
		return 0
	}
	plan, err := clusterOn(server).Plan(Wanted{Snapshot: "on-demand-server-1-1"})
	require.NoError(t, err)
	_, err = plan.Run(t.Context(), io.Discard)
	require.ErrorContains(t, err, "stop the servers")
	assert.NotContains(t, before, time.Hour)
	assert.Equal(t, time.Hour, stopped[len(stopped)-1])
}
