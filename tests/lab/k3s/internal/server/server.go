package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"strata/tests/lab/k3s/internal/control"
	"strata/tests/lab/k3s/internal/datastore"
	"strata/tests/lab/k3s/internal/node"
	"strata/tests/lab/k3s/internal/pki"
	"strata/tests/lab/k3s/internal/settings"
	"strata/tests/lab/k3s/internal/supervisor"
)

// instance is a running server.
type instance struct {
	parsed   *settings.Parsed
	node     *node.Config
	dir      string // DataDir/server
	critical supervisor.Critical
	disabled []string

	pki        *pki.Server
	etcd       *datastore.Etcd
	supervisor *supervisor.Server
	apiReady   chan struct{}
	rest       *rest.Config
}

// RunServer runs a server until ctx ends or a signal stops it.
func RunServer(ctx context.Context, args []string) error {
	p, err := settings.Parse("server", args)
	if err != nil {
		return err
	}
	start(p)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	s, err := newInstance(p)
	if err != nil {
		return err
	}
	notify := takeNotifySocket()
	var refused *datastore.JoinError
	switch err := s.run(ctx, notify); {
	case errors.As(err, &refused):
		// K3s requests its own shutdown if etcd refuses the join, and ends with exit code 0 as
		// after SIGTERM (k3s-io/k3s pkg/etcd/etcd.go, pollJoin, and pkg/signals/signals.go).
		logrus.Errorf("Shutdown request received: %q", err)
		return nil
	case err != nil:
		return stopped(ctx, err)
	}
	<-ctx.Done()
	s.shutdown()
	return nil
}

func newInstance(p *settings.Parsed) (*instance, error) {
	cfg, err := nodeConfig(p)
	if err != nil {
		return nil, err
	}
	s := &instance{parsed: p, node: cfg, dir: filepath.Join(cfg.DataDir, "server"), apiReady: make(chan struct{})}
	s.disabled = split(p.Lists["disable"])
	if err := s.setCritical(); err != nil {
		return nil, err
	}
	serviceIP, err := firstIP(s.critical.ServiceCIDR, 1)
	if err != nil {
		return nil, err
	}
	names := pki.ServerNames(cfg.Name, net.ParseIP(cfg.IP), serviceIP, s.critical.ClusterDomain, split(p.Lists["tls-san"]))
	s.pki = &pki.Server{Dir: s.dir, Names: names}
	s.etcd = &datastore.Etcd{
		Dir: filepath.Join(s.dir, "db", "etcd"), TLS: s.pki.Path, NodeName: cfg.Name, Address: cfg.IP, Args: p.Lists["etcd-arg"],
	}
	return s, nil
}

// run starts everything in K3s's order. It returns when the API server is up and systemd has been
// notified.
func (s *instance) run(ctx context.Context, notify func()) error {
	if s.parsed.Bools["cluster-reset"] {
		if err := s.mayReset(); err != nil {
			return err
		}
	} else if err := os.Remove(s.resetFlag()); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := s.etcd.Prepare(); err != nil {
		return fmt.Errorf("preparing server: %w", err)
	}
	join, err := s.prepare(ctx)
	if err != nil {
		return fmt.Errorf("preparing server: %w", err)
	}
	if s.parsed.Bools["cluster-reset"] {
		return s.reset(ctx)
	}
	if err := s.supervisor.Listen(s.parsed.Texts["bind-address"], port); err != nil {
		return fmt.Errorf("preparing server: %w", err)
	}
	s.startNode(ctx)
	var refused *datastore.JoinError
	if err := s.etcd.Start(ctx, join); errors.As(err, &refused) {
		return err
	} else if err != nil {
		return fmt.Errorf("starting kubernetes: failed to start cluster: start managed database: %w", err)
	}
	if err := s.etcd.WaitReady(ctx); err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil {
		return fmt.Errorf("starting kubernetes: preparing server: %w", err)
	}
	logrus.Info("ETCD server is now running")
	if err := s.startControlPlane(ctx); err != nil {
		return fmt.Errorf("starting kubernetes: %w", err)
	}
	logrus.Info("k3s is up and running")
	notify()
	return nil
}

func (s *instance) startControlPlane(ctx context.Context) error {
	plane := control.New(control.Config{
		PKI: s.pki, NodeIP: textOr(s.parsed, "advertise-address", s.node.IP), Port: port,
		ClusterCIDR: s.critical.ClusterCIDR, ServiceCIDR: s.critical.ServiceCIDR, Domain: s.critical.ClusterDomain,
		NodePorts: textOr(s.parsed, "service-node-port-range", "30000-32767"), EncryptSecrets: s.critical.EncryptSecrets,
		EtcdEndpoint: datastore.Endpoint, APIServerArgs: s.parsed.Lists["kube-apiserver-arg"],
		ControllerArgs: s.parsed.Lists["kube-controller-manager-arg"], SchedulerArgs: s.parsed.Lists["kube-scheduler-arg"],
	})
	if err := plane.StartAPIServer(ctx, func(h http.Handler) { s.supervisor.SetAPI(h) }); err != nil {
		return err
	}
	core, err := s.waitForAPI(ctx)
	if err != nil {
		return err
	}
	logrus.Info("Kube API server is now running")
	close(s.apiReady)
	s.supervisor.SetCore(core)
	plane.StartControllers(ctx)
	go s.etcd.RunController(ctx, core)
	go s.supervisor.Tunnel.FollowNodes(ctx, core)
	go followNodes(ctx, core)
	go s.markNode(ctx, core)
	go s.deploy(ctx)
	return nil
}

// waitForAPI polls /readyz until every check passes.
func (s *instance) waitForAPI(ctx context.Context) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.pki.Cred("supervisor.kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	s.rest = config
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return core, wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := core.Discovery().RESTClient().Get().AbsPath("/readyz").Timeout(2 * time.Second).DoRaw(ctx)
		return err == nil, nil
	})
}

// startNode starts the agent part of the server, which itself waits for the API server.
func (s *instance) startNode(ctx context.Context) {
	s.node.SupervisorURL = "https://127.0.0.1:" + strconv.Itoa(port)
	s.node.APIURL = "https://127.0.0.1:" + strconv.Itoa(port+1)
	go func() {
		if err := s.node.Run(ctx, s.node.SupervisorURL, s.apiReady, nodeAnnotations(s.parsed)); err != nil && ctx.Err() == nil {
			logrus.Fatalf("agent exited: %v", err)
		}
	}()
}

// shutdown stops etcd, and waits at most 5 s for it. The other components stop because ctx has
// ended.
func (s *instance) shutdown() {
	done := make(chan struct{})
	go func() {
		s.etcd.Close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		logrus.Warn("etcd did not stop within 5s")
	}
}
