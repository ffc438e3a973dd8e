package datastore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/snapshot"
	restore "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// Snapshots are the files of server/db/snapshots.
type Snapshots struct {
	// Dir is the folder; Node, the node's name, is part of each file's name.
	Dir, Node string
	// Config opens etcd.
	Config func() (*clientv3.Config, error)
}

// Save writes <prefix>-<node>-<unix time>, mode 0600, and returns its name. Without a quorum the
// file is written, and an error: K3s notes a snapshot in the API before it says that it is saved.
func (s *Snapshots) Save(ctx context.Context, prefix string) (string, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	config, err := s.Config()
	if err != nil {
		return "", err
	}
	if err := listens(ctx, config.Endpoints); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%s-%d", prefix, s.Node, time.Now().Unix())
	path := filepath.Join(s.Dir, name)
	logrus.Infof("Saving etcd snapshot to %s", path)
	if _, err := snapshot.SaveWithVersion(ctx, zap.NewNop(), *config, path); err != nil {
		return "", fmt.Errorf("save etcd snapshot: %w", err)
	}
	return name, noted(ctx, config)
}

// noteLimit bounds the requests to the API; K3s asks for two minutes.
const noteLimit = 5 * time.Second

// noted fails where the API could not note a snapshot, because etcd has no quorum.
func noted(ctx context.Context, config *clientv3.Config) error {
	client, err := clientv3.New(*config)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, noteLimit)
	defer cancel()
	if _, err := client.Get(ctx, "/registry/k3s.cattle.io/etcdsnapshotfiles/"); err != nil {
		return fmt.Errorf("sync ETCDSnapshotFile: %w", err)
	}
	return nil
}

// listens fails at once where no etcd runs, as K3s does, which asks the server that runs: the
// client would wait for ever and leave a part of a file behind.
func listens(ctx context.Context, endpoints []string) error {
	for _, endpoint := range endpoints {
		dialer := net.Dialer{Timeout: 5 * time.Second}
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(endpoint, "https://"))
		if err != nil {
			return fmt.Errorf("save etcd snapshot: see if the server is running: %w", err)
		}
		if err := conn.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Reset makes this server the only member: from a snapshot when path is given, else from its own
// data.
func (e *Etcd) Reset(ctx context.Context, path string) error {
	if path == "" && !e.Initialized() {
		return errors.New("cluster-reset: this server has no etcd data to reset to; give --cluster-reset-restore-path")
	}
	if path != "" {
		if err := e.restore(path); err != nil {
			return err
		}
	}
	if err := e.start(ctx, e.Name+"="+e.peerURL(), "new", path == ""); err != nil {
		return err
	}
	if err := e.connect(ctx); err != nil {
		return err
	}
	return e.WaitReady(ctx)
}

func (e *Etcd) restore(path string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("etcd: snapshot path does not exist: %s", path)
	}
	old := fmt.Sprintf("%s-old-%d", e.Dir, time.Now().Unix())
	if err := os.Rename(e.Dir, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	err := restore.NewV3(zap.NewNop()).Restore(restore.RestoreConfig{
		SnapshotPath: path, Name: e.Name, OutputDataDir: e.Dir, PeerURLs: []string{e.peerURL()},
		InitialCluster: e.Name + "=" + e.peerURL(), InitialClusterToken: "etcd-cluster", SkipHashCheck: false,
	})
	if err != nil {
		return fmt.Errorf("restore %s: %w", path, err)
	}
	return os.WriteFile(filepath.Join(e.Dir, "name"), []byte(e.Name), 0o600)
}
