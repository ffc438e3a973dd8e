package datastore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
)

func member(name, address string) *etcdserverpb.Member {
	return &etcdserverpb.Member{Name: name, PeerURLs: []string{"https://" + address + ":2380"}}
}

func TestNewServerIsNotFoundAmongMembers(t *testing.T) {
	e := &Etcd{NodeName: "b", Name: "b-11111111", Address: "10.0.0.2"}
	cluster, present, err := e.initialCluster([]*etcdserverpb.Member{member("a-00000000", "10.0.0.1")})
	require.NoError(t, err)
	assert.False(t, present)
	assert.Equal(t, []string{"a-00000000=https://10.0.0.1:2380"}, cluster)
}

func TestAddedButUnstartedServerIsFoundAmongMembers(t *testing.T) {
	e := &Etcd{NodeName: "b", Name: "b-11111111", Address: "10.0.0.2"}
	cluster, present, err := e.initialCluster([]*etcdserverpb.Member{member("a-00000000", "10.0.0.1"), member("", "10.0.0.2")})
	require.NoError(t, err)
	assert.True(t, present)
	assert.Equal(t, []string{"a-00000000=https://10.0.0.1:2380", "b-11111111=https://10.0.0.2:2380"}, cluster)
}

func TestReinstalledServerIsRefusedWhileItsOldMemberRemains(t *testing.T) {
	e := &Etcd{NodeName: "b", Name: "b-22222222", Address: "10.0.0.2"}
	_, _, err := e.initialCluster([]*etcdserverpb.Member{member("a-00000000", "10.0.0.1"), member("b-11111111", "10.0.0.2")})
	assert.EqualError(t, err, "duplicate node name found, please use a unique name for this node")
}

func TestMemberKeepsItsNameUntilItIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "etcd")
	first := &Etcd{Dir: dir, NodeName: "a"}
	require.NoError(t, first.Prepare())
	assert.Regexp(t, `^a-[0-9a-f]{8}$`, first.Name)
	second := &Etcd{Dir: dir, NodeName: "a"}
	require.NoError(t, second.Prepare())
	assert.Equal(t, first.Name, second.Name)

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "member", "wal"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, tombstone), nil, 0o600))
	third := &Etcd{Dir: dir, NodeName: "a"}
	require.NoError(t, third.Prepare())
	assert.NotEqual(t, first.Name, third.Name)
	assert.False(t, third.Initialized(), "the data of the removed member is gone")
}

func TestUnknownEtcdArgumentIsRefused(t *testing.T) {
	cfg := embed.NewConfig()
	require.NoError(t, applyArgs(cfg, []string{"election-timeout=2000"}))
	assert.EqualValues(t, 2000, cfg.ElectionMs)
	assert.ErrorContains(t, applyArgs(cfg, []string{"nonsense=1"}), "etcd-arg nonsense")
}
