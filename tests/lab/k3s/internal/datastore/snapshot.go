package datastore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sort"
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

// File is one snapshot.
type File struct {
	Name, Path string
	Size       int64
	Created    time.Time
}

// Save writes <prefix>-<node>-<unix time>, mode 0600.
func (s *Snapshots) Save(ctx context.Context, prefix string) (File, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return File{}, err
	}
	config, err := s.Config()
	if err != nil {
		return File{}, err
	}
	if err := listens(ctx, config.Endpoints); err != nil {
		return File{}, err
	}
	now := time.Now()
	file := File{Name: fmt.Sprintf("%s-%s-%d", prefix, s.Node, now.Unix()), Created: now}
	file.Path = filepath.Join(s.Dir, file.Name)
	logrus.Infof("Saving etcd snapshot to %s", file.Path)
	if _, err := snapshot.SaveWithVersion(ctx, zap.NewNop(), *config, file.Path); err != nil {
		return file, fmt.Errorf("save etcd snapshot: %w", err)
	}
	return file, nil
}

// listens fails at once where no etcd runs, as K3s does, which asks the server that runs: the client would wait for ever and leave a part of a
// file behind.
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

// List returns the snapshots, oldest first.
func (s *Snapshots) List() ([]File, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var files []File
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			files = append(files, File{entry.Name(), filepath.Join(s.Dir, entry.Name()), info.Size(), info.ModTime()})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Created.Before(files[j].Created) })
	return files, nil
}

// Prune keeps the newest of this node's on-demand and scheduled snapshots, each kind for itself.
func (s *Snapshots) Prune(keep int) error {
	files, err := s.List()
	if err != nil {
		return err
	}
	for _, prefix := range []string{"on-demand", "etcd-snapshot"} {
		var mine []File
		for _, f := range files {
			if strings.HasPrefix(f.Name, prefix+"-"+s.Node+"-") {
				mine = append(mine, f)
			}
		}
		for len(mine) > keep {
			fmt.Printf("Snapshot %s deleted.\n", mine[0].Name)
			if err := os.Remove(mine[0].Path); err != nil {
				return err
			}
			mine = mine[1:]
		}
	}
	return nil
}

// Reset makes this server the only member: from a snapshot when path is given, else from its own data.
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
