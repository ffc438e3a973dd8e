package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"

	"strata/tests/lab/k3s/internal/datastore"
	"strata/tests/lab/k3s/internal/deploy"
	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/settings"
	"strata/tests/lab/k3s/internal/supervisor"
)

// deploy writes the packaged manifests, and applies the manifest folder until ctx ends.
func (s *instance) deploy(ctx context.Context) {
	dir := filepath.Join(s.dir, "manifests")
	for _, warning := range deploy.CheckDisable(s.disabled) {
		logrus.Warn(warning)
	}
	if missing := deploy.Missing(s.disabled); len(missing) > 0 {
		logrus.Warnf("The lab has no packaged %v; K3s would deploy them unless they are disabled", missing)
	}
	removed, err := deploy.Stage(dir, s.disabled, deploy.Values{
		ClusterDNS: s.critical.ClusterDNS, ClusterDomain: s.critical.ClusterDomain,
		CoreDNSImage: CoreDNSImage, MetricsImage: MetricsImage,
	})
	if err != nil {
		logrus.Fatalf("stage manifests: %v", err)
	}
	deployer, err := deploy.New(s.rest)
	if err != nil {
		logrus.Fatalf("deploy manifests: %v", err)
	}
	deployer.Run(ctx, dir, removed)
}

// followNodes deletes the node password of each deleted Node, so that a new machine may use the
// name.
func followNodes(ctx context.Context, core kubernetes.Interface) {
	for ctx.Err() == nil {
		w, err := core.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{})
		if err != nil {
			logrus.Debugf("watch nodes: %v", err)
			time.Sleep(time.Second) // retry later
			continue
		}
		for event := range w.ResultChan() {
			if n, ok := event.Object.(*corev1.Node); ok && event.Type == watch.Deleted {
				forgetPassword(ctx, core, n.Name)
			}
		}
	}
}

func forgetPassword(ctx context.Context, core kubernetes.Interface, name string) {
	err := core.CoreV1().Secrets(metav1.NamespaceSystem).Delete(ctx, supervisor.PasswordSecret(name), metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		logrus.Errorf("delete the node password of %s: %v", name, err)
	}
}

// resetFlag returns the path of a file that exists from a reset until the next ordinary start. It
// prevents a unit with --cluster-reset from resetting at each restart.
func (s *instance) resetFlag() string { return filepath.Join(s.dir, "db", "reset-flag") }

// mayReset returns K3s's errors for a reset that is not allowed (k3s-io/k3s
// pkg/cli/server/server.go, pkg/cluster/managed.go).
func (s *instance) mayReset() error {
	if s.parsed.Texts["server"] != "" {
		return errors.New("cannot perform cluster-reset while server URL is set - remove server from configuration before resetting")
	}
	if _, err := os.Stat(s.resetFlag()); err == nil && s.parsed.Texts["cluster-reset-restore-path"] == "" {
		return fmt.Errorf("Managed etcd cluster membership was previously reset, please remove the cluster-reset flag and start k3s normally. "+
			"If you need to perform another cluster reset, you must first manually delete the %s file", s.resetFlag())
	}
	return nil
}

// reset makes this server the only etcd member and ends the process, as K3s does.
func (s *instance) reset(ctx context.Context) error {
	if err := s.etcd.Reset(ctx, s.parsed.Texts["cluster-reset-restore-path"]); err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil {
		return fmt.Errorf("starting kubernetes: preparing server: %w", err)
	}
	// Each reset keeps a copy of the certificates (k3s-io/k3s pkg/cluster/bootstrap.go,
	// ReconcileBootstrapData).
	tls := filepath.Join(s.dir, "tls")
	if out, err := exec.CommandContext(ctx, "cp", "-a", tls, fmt.Sprintf("%s-%d", tls, time.Now().Unix())).CombinedOutput(); err != nil {
		return fmt.Errorf("cluster reset failed to back up server TLS dir: %w: %s", err, out)
	}
	if err := os.WriteFile(s.resetFlag(), nil, 0o600); err != nil {
		return err
	}
	s.etcd.Close()
	logrus.Info("Managed etcd cluster membership has been reset, restart without --cluster-reset flag now. " +
		"Backup and delete ${datadir}/server/db on each peer etcd server and rejoin the nodes")
	os.Exit(0)
	return nil
}

// claim stores the cluster's CAs and keys in etcd. If etcd already has other CAs, for example from
// a snapshot that was restored on a new host, this server adopts them. It then creates its
// certificates again at the next start (k3s-io/k3s pkg/cluster/bootstrap.go,
// ReconcileBootstrapData).
func (s *instance) claim(ctx context.Context) error {
	own, err := s.pki.Material()
	if err != nil {
		return err
	}
	kept, err := s.etcd.Claim(ctx, s.supervisor.Passwords["server"], own)
	if err != nil || bytes.Equal(kept["server-ca.crt"], own["server-ca.crt"]) {
		return err
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "tls")); err != nil {
		return err
	}
	return s.keep(kept)
}

// Snapshots returns a datastore.Snapshots that saves snapshots of this host's etcd.
func Snapshots(p *settings.Parsed) (*datastore.Snapshots, error) {
	name, err := nodeName(p)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(dataDir, "server")
	keys := &pki.Server{Dir: dir}
	etcd := &datastore.Etcd{TLS: keys.Path}
	return &datastore.Snapshots{Dir: filepath.Join(dir, "db", "snapshots"), Node: name, Config: func() (*clientv3.Config, error) {
		return etcd.ClientConfig(datastore.Endpoint)
	}}, nil
}
