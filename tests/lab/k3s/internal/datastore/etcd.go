package datastore

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// Etcd is this server's etcd member.
type Etcd struct {
	// Dir is the database folder, usually /var/lib/rancher/k3s/server/db/etcd.
	Dir string
	// TLS returns the path of a file in the server's tls folder.
	TLS func(name string) string
	// NodeName and Address are the node's name and IP address. The member's name is NodeName, a
	// hyphen and 8 hexadecimal digits.
	NodeName, Address string
	// Args are the values of --etcd-arg, "name=value".
	Args []string

	// Name is the member's name. Prepare sets it.
	Name   string
	client atomic.Pointer[clientv3.Client]
	server *embed.Etcd
	// closing is true during an orderly stop. Otherwise, a stop means that the member was removed.
	closing atomic.Bool
}

const tombstone = "tombstone"

// Endpoint is the URL at which this server's own components reach etcd.
const Endpoint = "https://127.0.0.1:2379"

// Initialized reports whether this server has etcd data, so has been a member before.
func (e *Etcd) Initialized() bool {
	info, err := os.Stat(filepath.Join(e.Dir, "member", "wal"))
	return err == nil && info.IsDir()
}

// Prepare reads or creates the member's name. It first deletes the data of a member that was
// removed from the cluster.
func (e *Etcd) Prepare() error {
	if _, err := os.Stat(filepath.Join(e.Dir, tombstone)); err == nil {
		logrus.Info("tombstone file has been detected, removing data dir to rejoin the cluster")
		if err := os.RemoveAll(e.Dir); err != nil {
			return err
		}
	}
	file := filepath.Join(e.Dir, "name")
	data, err := os.ReadFile(file)
	if err == nil {
		e.Name = string(data)
		return nil
	}
	if !os.IsNotExist(err) {
		return err
	}
	if err := os.MkdirAll(e.Dir, 0o700); err != nil {
		return err
	}
	e.Name = e.NodeName + "-" + uuid.NewString()[:8]
	return os.WriteFile(file, []byte(e.Name), 0o600)
}

func (e *Etcd) peerURL() string   { return fmt.Sprintf("https://%s:2380", e.Address) }
func (e *Etcd) clientURL() string { return fmt.Sprintf("https://%s:2379", e.Address) }

// start starts the member. cluster is "name=peerURL,…", and state is "new" or "existing". force
// makes the member the only one of a new cluster.
func (e *Etcd) start(ctx context.Context, cluster, state string, force bool) error {
	cfg, err := e.config(cluster, state, force)
	if err != nil {
		return err
	}
	if e.server, err = embed.StartEtcd(cfg); err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	go e.watchRemoval(ctx)
	return nil
}

func (e *Etcd) config(cluster, state string, force bool) (*embed.Config, error) {
	cfg := embed.NewConfig()
	cfg.Name, cfg.Dir = e.Name, e.Dir
	cfg.InitialCluster, cfg.ClusterState, cfg.ForceNewCluster = cluster, state, force
	cfg.InitialClusterToken = "etcd-cluster"
	cfg.ListenPeerUrls = urls(e.peerURL())
	cfg.AdvertisePeerUrls = urls(e.peerURL())
	cfg.ListenClientUrls = urls(e.clientURL(), Endpoint)
	cfg.AdvertiseClientUrls = urls(e.clientURL())
	cfg.ListenMetricsUrls = urls("http://127.0.0.1:2381")
	cfg.ClientTLSInfo = e.tlsInfo("etcd/server-client", "etcd/server-ca.crt")
	cfg.PeerTLSInfo = e.tlsInfo("etcd/peer-server-client", "etcd/peer-ca.crt")
	cfg.TickMs, cfg.ElectionMs = 500, 5000 // in ms; K3s's HeartbeatInterval and ElectionTimeout
	cfg.SnapshotCount = 10000
	cfg.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // only etcd's command sets the default
	cfg.UnsafeNoFsync = true                                                   // faster on slow disks; a lab may lose data
	cfg.LogLevel, cfg.Logger = "error", "zap"
	cfg.LogOutputs = []string{"stderr"}
	return cfg, applyArgs(cfg, e.Args)
}

// applyArgs applies the --etcd-arg names that the lab supports. It fails for other names.
func applyArgs(cfg *embed.Config, args []string) error {
	for _, arg := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch name {
		case "heartbeat-interval":
			if _, err := fmt.Sscan(value, &cfg.TickMs); err != nil {
				return fmt.Errorf("etcd-arg %s: %w", name, err)
			}
		case "election-timeout":
			if _, err := fmt.Sscan(value, &cfg.ElectionMs); err != nil {
				return fmt.Errorf("etcd-arg %s: %w", name, err)
			}
		case "quota-backend-bytes":
			if _, err := fmt.Sscan(value, &cfg.QuotaBackendBytes); err != nil {
				return fmt.Errorf("etcd-arg %s: %w", name, err)
			}
		default:
			return fmt.Errorf("etcd-arg %s: the lab knows heartbeat-interval, election-timeout and quota-backend-bytes", name)
		}
	}
	return nil
}

func (e *Etcd) tlsInfo(cert, ca string) transport.TLSInfo {
	return transport.TLSInfo{
		CertFile: e.TLS(cert + ".crt"), KeyFile: e.TLS(cert + ".key"), TrustedCAFile: e.TLS(ca), ClientCertAuth: true,
	}
}

// NewClient returns a client for members' endpoints, with this server's client certificate.
func (e *Etcd) NewClient(endpoints ...string) (*clientv3.Client, error) {
	config, err := e.ClientConfig(endpoints...)
	if err != nil {
		return nil, err
	}
	return clientv3.New(*config)
}

// ClientConfig returns the client configuration that NewClient uses.
func (e *Etcd) ClientConfig(endpoints ...string) (*clientv3.Config, error) {
	info := transport.TLSInfo{
		CertFile: e.TLS("etcd/client.crt"), KeyFile: e.TLS("etcd/client.key"), TrustedCAFile: e.TLS("etcd/server-ca.crt"),
	}
	config, err := info.ClientConfig()
	if err != nil {
		return nil, err
	}
	return &clientv3.Config{
		Endpoints: endpoints, TLS: config, DialTimeout: 2 * time.Second,
		DialKeepAliveTime: 30 * time.Second, DialKeepAliveTimeout: 10 * time.Second, Logger: quietLogger(),
	}, nil
}

// watchRemoval writes a tombstone file if the cluster removes this member. The next start then
// deletes the data and joins again.
func (e *Etcd) watchRemoval(ctx context.Context) {
	select {
	case <-ctx.Done():
	case err := <-e.server.Err():
		if !e.closing.Load() {
			logrus.Fatalf("etcd exited: %v", err)
		}
	case <-e.server.Server.StopNotify():
		if e.closing.Load() {
			return
		}
		if err := os.WriteFile(filepath.Join(e.Dir, tombstone), nil, 0o600); err != nil {
			logrus.Fatalf("failed to write tombstone file to %s: %v", e.Dir, err)
		}
		logrus.Info("this node has been removed from the cluster please restart k3s to rejoin the cluster")
	}
}

// Close transfers the leadership and stops the member. It does not wait for open client
// connections, such as the API server's, because the process ends next.
func (e *Etcd) Close() {
	e.closing.Store(true)
	if e.server != nil {
		e.server.Server.Stop()
	}
}

func urls(texts ...string) []url.URL {
	var out []url.URL
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil {
			panic(err) // the IP address has been validated
		}
		out = append(out, *u)
	}
	return out
}
