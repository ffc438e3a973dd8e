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

// database is the folder of etcd's data on each server. It is K3s's default; serverArgs must not
// change it.
const database = "/var/lib/rancher/k3s/server/db"

// Folder is the folder of snapshots on each server.
const Folder = database + "/snapshots"

// Ahead is the file name suffix of the temporary snapshot that a restore creates.
const Ahead = "-ahead"

// Hosts runs the steps of a restore on hosts.
type Hosts interface {
	// Run runs a step of steps.sh on a host, with shell variables, and returns its output.
	Run(ctx context.Context, host health.Host, step string,
		variables map[string]string) (string, error)
	// Works waits until K3s works on the host.
	Works(ctx context.Context, host health.Host) error
}

//go:embed steps.sh
var steps string

// SSH implements Hosts over SSH.
type SSH struct {
	// Key is the SSH private key.
	Key []byte
	// SHA256 is the checksum of the hosts' K3s binary.
	SHA256 string
	// Owner owns the hosts; nil if the state names no owner.
	Owner *k3shost.Owner
	// Gate waits until K3s works on a host.
	Gate func(ctx context.Context, host health.Host) error
}

// Works implements Hosts.
func (s *SSH) Works(ctx context.Context, host health.Host) error { return s.Gate(ctx, host) }

// Run implements Hosts.
func (s *SSH) Run(
	ctx context.Context, host health.Host, step string, variables map[string]string,
) (string, error) {
	return k3shost.Run(ctx, host.Target, s.Key, s.script(host, step, variables))
}

func (s *SSH) script(host health.Host, step string, variables map[string]string) string {
	return k3shost.Script(host.Role, s.SHA256, s.Owner.WithNode(host.Name), steps+"\n"+step+"\n",
		variables)
}

// login connects for a transfer. Only the login has a timeout; the transfer ends when no data
// arrives for a while.
func (s *SSH) login(ctx context.Context, host health.Host) (*remote.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, remote.DefaultSilence)
	defer cancel()
	return remote.Dial(ctx, host.Target, s.Key)
}

// Copy copies a server's snapshot to a local file. Only its owner may read it, because it contains
// every Secret of the cluster. The file gets its name only when it is complete and matches the
// SHA-256 sum. A failure leaves no file; the next copy to the same folder removes the remains of a
// killed copy.
func (s *SSH) Copy(ctx context.Context, host health.Host, name, local, sum string) (err error) {
	client, err := s.login(ctx, host)
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
	file, err := os.OpenFile(filepath.Join(beside.Path, name),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	read := sha256.New()
	err = client.Read(ctx, path.Join(Folder, name), io.MultiWriter(file, read),
		remote.DefaultSilence)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if found := hex.EncodeToString(read.Sum(nil)); found != sum {
		return fmt.Errorf("expected sha256 %s, which the server has, found %s; run strata snapshot again", sum, found)
	}
	return os.Rename(file.Name(), local)
}

// Push copies a local snapshot to a server.
func (s *SSH) Push(ctx context.Context, host health.Host, local, name, sum string) error {
	client, err := s.login(ctx, host)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	_, err = client.Push(ctx, remote.Upload{File: local, Dest: path.Join(Folder, name), Mode: 0o600,
		SHA256: sum})
	return err
}
