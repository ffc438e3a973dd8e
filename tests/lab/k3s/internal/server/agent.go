package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/sirupsen/logrus"
	"k8s.io/component-base/version"

	"strata/tests/lab/k3s/internal/balancer"
	"strata/tests/lab/k3s/internal/settings"
)

const balancerPort = 6444

// RunAgent runs an agent until ctx ends or a signal stops it.
func RunAgent(ctx context.Context, args []string) error {
	p, err := settings.Parse("agent", args)
	if err != nil {
		return err
	}
	start(p)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	cfg, err := nodeConfig(p)
	if err != nil {
		return err
	}
	cfg.Token = strings.TrimSpace(p.Texts["token"])
	serverURL := p.Texts["server"]
	if cfg.Token == "" {
		return errors.New("--token is required")
	}
	if serverURL == "" {
		return errors.New("--server is required")
	}
	port := balancerPort
	if n, ok := p.Numbers["lb-server-port"]; ok {
		port = n
	}
	lb, err := balancer.Start(cfg.DataDir, serverURL, fmt.Sprint(port))
	if err != nil {
		return err
	}
	cfg.SupervisorURL = fmt.Sprintf("https://127.0.0.1:%d", port)
	cfg.APIURL = cfg.SupervisorURL
	cfg.OnServers = func(servers []string) { lb.Set(serverURL, servers) }
	notify := takeNotifySocket()
	if err := cfg.Run(ctx, serverURL, nil, nodeAnnotations(p)); err != nil {
		return stopped(ctx, err)
	}
	logrus.Info("k3s agent is up and running")
	notify()
	<-ctx.Done()
	return nil
}

// stopped returns nil if ctx has ended, because an interrupted start is no failure. Otherwise it
// returns err.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func start(p *settings.Parsed) {
	if p.Bools["debug"] {
		logrus.SetLevel(logrus.DebugLevel)
	}
	for _, warning := range p.Warnings {
		logrus.Warn(warning)
	}
	logrus.Infof("Starting k3s %s (lab stand-in)", version.Get().GitVersion)
	raiseFileLimits()
}

// takeNotifySocket removes NOTIFY_SOCKET from the environment, because components of the process
// would report their own readiness to systemd. It returns the function that sends READY=1.
func takeNotifySocket() func() {
	socket := os.Getenv("NOTIFY_SOCKET")
	if err := os.Unsetenv("NOTIFY_SOCKET"); err != nil {
		logrus.Fatalf("unset NOTIFY_SOCKET: %v", err)
	}
	return func() {
		if socket == "" {
			return
		}
		if err := os.Setenv("NOTIFY_SOCKET", socket); err != nil {
			logrus.Errorf("set NOTIFY_SOCKET: %v", err)
		}
		if _, err := daemon.SdNotify(true, daemon.SdNotifyReady); err != nil {
			logrus.Errorf("notify systemd: %v", err)
		}
	}
}
