package datastore

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestASnapshotOfAnEtcdThatDoesNotRunFailsAtOnceAndLeavesNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	snapshots := &Snapshots{Dir: t.TempDir(), Node: "server-1", Config: func() (*clientv3.Config, error) {
		return &clientv3.Config{Endpoints: []string{"https://" + address}}, nil
	}}
	started := time.Now()
	_, err = snapshots.Save(t.Context(), "on-demand")
	require.ErrorContains(t, err, "connection refused")
	assert.Less(t, time.Since(started), 5*time.Second)
	files, err := os.ReadDir(snapshots.Dir)
	require.NoError(t, err)
	assert.Empty(t, files)
}
