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

// Snapshots saves etcd snapshots to server/db/snapshots.
type Snapshots struct {
	// Dir is the folder of the snapshots. Node is the node's name, which is part of each file name.
	Dir, Node string
	// Config returns the etcd client configuration.
	Config func() (*clientv3.Config, error)
}

// Save writes the snapshot PREFIX-NODE-UNIXTIME with mode 0600, and returns its name. Without an
// etcd quorum it writes the file and returns an error, because K3s must record a snapshot in the
// API before it reports success.
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

// noteLimit is the timeout of the quorum check. K3s's own timeout is two minutes.
const noteLimit = 5 * time.Second

// noted returns an error if etcd has no quorum. K3s could then not record the snapshot in the API.
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

// listens returns an error if an endpoint accepts no TCP connection. K3s, which asks the running
// server, also fails at once. Without this check, the etcd client would wait forever and leave a
// partial file.
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

// Reset makes this server the only member. If path is set, it restores the snapshot at path;
// otherwise it keeps the server's own data.
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
