package restore

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"strata/health"
	"strata/internal/files/tempdir"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// database holds etcd's data on each server. It is K3s's default, which serverArgs must not change.
const database = "/var/lib/rancher/k3s/server/db"

// Folder holds the snapshots of each server.
const Folder = database + "/snapshots"

// Ahead ends the name of a snapshot's copy that is made for a restore and goes with its end.
const Ahead = "-ahead"

// Hosts runs the steps of a restore on hosts.
type Hosts interface {
	// Run runs a step's script on a host, with variables set before, and returns what it printed.
	Run(ctx context.Context, host health.Host, step string, variables map[string]string) (string, error)
	// Works returns once the host's K3s works.
	Works(ctx context.Context, host health.Host) error
}

//go:embed steps.sh
var steps string

// SSH reaches hosts over SSH.
type SSH struct {
	// Key logs in.
	Key []byte
	// SHA256 is the binary's that the hosts run.
	SHA256 string
	// Owner owns the hosts; nil in a state that does not say.
	Owner *k3shost.Owner
	// Gate returns once a host's K3s works.
	Gate func(ctx context.Context, host health.Host) error
}

// Works implements Hosts.
func (s *SSH) Works(ctx context.Context, host health.Host) error { return s.Gate(ctx, host) }

// Run implements Hosts.
func (s *SSH) Run(ctx context.Context, host health.Host, step string, variables map[string]string) (string, error) {
	return k3shost.Run(ctx, host.Target, s.Key, s.script(host, step, variables))
}

func (s *SSH) script(host health.Host, step string, variables map[string]string) string {
	return k3shost.Script(host.Role, s.SHA256, s.Owner.At(host.Name), steps+"\n"+step+"\n", variables)
}

// Copy writes a snapshot of a server to a local file that only its owner may read: it holds every
// Secret of the cluster. The file appears under its name only when it is complete and has the
// sha256 sum. A failure leaves nothing behind, and what a kill leaves goes with the next copy to
// the same folder.
func (s *SSH) Copy(ctx context.Context, host health.Host, name, local, sum string) (err error) {
	client, err := remote.Dial(ctx, host.Target, s.Key)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	beside, err := tempdir.New(filepath.Dir(local), ".strata-snapshot-")
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, beside.Remove()); err != nil {
			err = fmt.Errorf("copy %s of %s: %w", name, host.Name, err)
		}
	}()
	file, err := os.OpenFile(filepath.Join(beside.Path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	read := sha256.New()
	err = client.Read(ctx, path.Join(Folder, name), io.MultiWriter(file, read))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if found := hex.EncodeToString(read.Sum(nil)); found != sum {
		return fmt.Errorf("expected sha256 %s, which the server has, found %s; run strata snapshot again", sum, found)
	}
	return os.Rename(file.Name(), local)
}

// Push gives a server a snapshot that is a local file.
func (s *SSH) Push(ctx context.Context, host health.Host, local, name, sum string) error {
	client, err := remote.Dial(ctx, host.Target, s.Key)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	_, err = client.Push(ctx, remote.Upload{File: local, Dest: path.Join(Folder, name), Mode: 0o600, SHA256: sum})
	return err
}
