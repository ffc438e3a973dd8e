package datastore

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

func TestSnapshotFailsWithoutFileWhenEtcdIsDown(t *testing.T) {
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

// Without a quorum, K3s writes the file but cannot record it in the API, so it reports no success.
func TestSnapshotIsWrittenButFailsWithoutQuorum(t *testing.T) {
	endpoint := startEtcd(t)
	config := clientv3.Config{Endpoints: []string{endpoint}}
	snapshots := &Snapshots{Dir: t.TempDir(), Node: "server-1", Config: func() (*clientv3.Config, error) { return &config, nil }}
	name, err := snapshots.Save(t.Context(), "on-demand")
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(snapshots.Dir, name)))

	client, err := clientv3.New(config)
	require.NoError(t, err)
	_, err = client.MemberAdd(t.Context(), []string{"http://127.0.0.1:1"}) // this member never starts, and one of two is no quorum
	require.NoError(t, err)
	require.NoError(t, client.Close())
	_, err = snapshots.Save(t.Context(), "on-demand")
	require.ErrorContains(t, err, "ETCDSnapshotFile")
	files, err := os.ReadDir(snapshots.Dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.NotContains(t, files[0].Name(), ".part")
}

// startEtcd starts an etcd cluster of one member, and returns its client URL.
func startEtcd(t *testing.T) string {
	t.Helper()
	local := func() []url.URL { return []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}} }
	config := embed.NewConfig()
	config.Dir, config.LogLevel, config.StrictReconfigCheck = t.TempDir(), "fatal", false
	config.ListenClientUrls, config.ListenPeerUrls = local(), local()
	server, err := embed.StartEtcd(config)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	<-server.Server.ReadyNotify()
	return server.Clients[0].Addr().String()
}
