package credential

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

const (
	// readLimit bounds the first attempt at one server, so that a server that is gone leaves time
	// for the others. Each further round has twice as long: a host under load needs more.
	readLimit = 15 * time.Second
	// restartLimit bounds a restart of K3s and the wait for the host's lock. systemd ends the
	// restart once K3s reports that it is up. With etcd, that needs a majority of the servers.
	restartLimit = 5 * time.Minute
	// clockLimit bounds the difference between the clock of a server and this machine's:
	// certificates begin and end by both.
	clockLimit = 5 * time.Minute
)

// readScript prints the host's time and K3s's own kubeconfig. restartScript restarts K3s, which
// renews every certificate that ends within 120 days, or 90 in older releases (k3s-io/k3s
// pkg/daemons/config/types.go, CertificateRenewDays). Containers go on. The script waits for an
// install or an upgrade, and refuses during a restore.
const (
	readScript    = "date +%s\ncat /etc/rancher/k3s/k3s.yaml"
	restartScript = "one_at_a_time\nsystemctl restart k3s\n"
)

// Hosts runs commands on servers, and reaches their API.
type Hosts interface {
	// Admin reads the server's clock and K3s's own kubeconfig, within a limit.
	Admin(ctx context.Context, server remote.Target, limit time.Duration) (clock time.Time,
		kubeconfig []byte, err error)
	// Restart restarts K3s, and returns once it is up.
	Restart(ctx context.Context, server remote.Target) error
	// Client reaches the API server of one server with a kubeconfig.
	Client(kubeconfig []byte, server remote.Target) (kubernetes.Interface, error)
}

// SSH implements Hosts over SSH.
type SSH struct {
	// Key is the private key that logs in.
	Key []byte
	// Owner must own the servers. It is nil in a state from before there were owner marks; then
	// nothing is checked.
	Owner *k3shost.Owner
}

// Admin implements Hosts.
func (s *SSH) Admin(ctx context.Context, server remote.Target, limit time.Duration) (time.Time,
	[]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	output, err := k3shost.Run(ctx, server, s.Key,
		"set -eu\n"+s.Owner.WithNode(server.Name).Insists()+readScript+"\n")
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s, as of a host under load, or whose disk stalls: %w",
			limit.Round(time.Second), err)
	}
	if err != nil {
		return time.Time{}, nil, err
	}
	line, text, _ := strings.Cut(output, "\n")
	seconds, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return time.Time{}, nil, errors.New("expected the time of date +%s before k3s.yaml, found something else") // not what: it may be secret
	}
	return time.Unix(seconds, 0).UTC(), []byte(text), nil
}

// Restart implements Hosts.
func (s *SSH) Restart(ctx context.Context, server remote.Target) error {
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	const noBinary = "-" // no new binary is placed
	_, err := k3shost.Run(ctx, server, s.Key,
		k3shost.Script("server", noBinary, s.Owner.WithNode(server.Name), restartScript, nil))
	return err
}

// Client implements Hosts.
func (s *SSH) Client(kubeconfig []byte, server remote.Target) (kubernetes.Interface, error) {
	return apiserver.Access{
		Kubeconfig: kubeconfig, Servers: []string{"https://" + apiserver.Address(server.Address)},
		Tunnel: tunnel.NewSpec(server), // K3s's own kubeconfig names no tunnel
	}.Client()
}

// admin is K3s's own access on one server.
type admin struct {
	server     remote.Target
	kubeconfig []byte
	config     *rest.Config
	ends       time.Time
	// clock is the server's time when the access was read.
	clock time.Time
}

// hasEnded reports whether the access has ended by the server's own clock.
func (a admin) hasEnded() bool { return a.clock.After(a.ends) }

// admins returns K3s's own accesses from all servers that answer within a limit, in their order.
// The error has the reasons of the others.
func (i *Issuer) admins(
	ctx context.Context, servers []remote.Target, limit time.Duration,
) ([]admin, error) {
	found, failures := make([]*admin, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for n, server := range servers {
		all.Go(func() {
			var err error
			if found[n], err = i.admin(ctx, server, limit); err != nil {
				failures[n] = fmt.Errorf("k3s.yaml of %s: %w", server, err)
			}
		})
	}
	all.Wait()
	var list []admin
	for _, one := range found {
		if one != nil {
			list = append(list, *one)
		}
	}
	return list, errors.Join(failures...)
}

// admin returns K3s's own access from one server. A server whose clock differs from this machine's
// is an error. Otherwise one of the two would take certificates for ended, or not begun, that the
// other has just made.
func (i *Issuer) admin(
	ctx context.Context, server remote.Target, limit time.Duration,
) (*admin, error) {
	asked := i.Now()
	clock, text, err := i.Hosts.Admin(ctx, server, limit)
	if err != nil {
		return nil, err
	}
	if now := i.Now(); clock.Before(asked.Add(-clockLimit)) || clock.After(now.Add(clockLimit)) {
		return nil, fmt.Errorf("its clock says %s, and this machine's says %s, more than %s "+
			"apart: set the wrong one (timedatectl set-ntp true)",
			clock.Format(time.RFC3339), now.UTC().Format(time.RFC3339), clockLimit)
	}
	config, err := read(text)
	if err != nil {
		return nil, err
	}
	ends, err := endOf(config.CertData)
	if err != nil {
		return nil, err
	}
	return &admin{server, text, config, ends, clock}, nil
}
