package credential

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/tunnel"
)

const (
	// readLimit bounds the first attempt at one server, so that a dead server leaves time for the
	// others. Each further round doubles the limit, because a loaded host needs more.
	readLimit = 15 * time.Second
	// restartLimit bounds a restart of K3s, including the wait for the host's lock. systemctl
	// returns once K3s is up, for which etcd needs a majority of the servers.
	restartLimit = 5 * time.Minute
	// clockLimit is the largest allowed difference between a server's clock and this machine's,
	// because both check the validity of certificates.
	clockLimit = 5 * time.Minute
)

// readScript prints the host's time and K3s's own kubeconfig. restartScript restarts K3s, which
// renews every certificate that expires within 120 days, or 90 in older releases (k3s-io/k3s
// pkg/daemons/config/types.go, CertificateRenewDays). Containers keep running. The script waits for
// an install or an upgrade, and fails during a restore.
const (
	readScript    = "date +%s\ncat /etc/rancher/k3s/k3s.yaml"
	restartScript = "one_at_a_time\nsystemctl restart k3s\n"
)

// Hosts runs commands on servers, and connects to their API servers.
type Hosts interface {
	// Admin returns the server's time and K3s's own kubeconfig, or fails after limit.
	Admin(ctx context.Context, server remote.Target, limit time.Duration) (clock time.Time,
		kubeconfig []byte, err error)
	// Restart restarts K3s, and returns once it is up.
	Restart(ctx context.Context, server remote.Target) error
	// Client returns a client for the API server of one server.
	Client(kubeconfig []byte, server remote.Target) (kubernetes.Interface, error)
}

// SSH implements Hosts over SSH.
type SSH struct {
	// Key is the SSH private key.
	Key []byte
	// Owner must own the servers. Nil in states of versions without owner marks; then the owner is
	// not checked.
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
	const noBinary = "-" // the restart installs no binary
	_, err := k3shost.Run(ctx, server, s.Key,
		k3shost.Script("server", noBinary, s.Owner.WithNode(server.Name), restartScript, nil))
	return err
}

// Client implements Hosts.
func (s *SSH) Client(kubeconfig []byte, server remote.Target) (kubernetes.Interface, error) {
	return apiserver.Access{
		Kubeconfig: kubeconfig, Servers: []string{apiserver.URL(server.Address)},
		Tunnel: tunnel.NewSpec(server), // K3s's own kubeconfig names no tunnel
	}.Client()
}

// admin holds K3s's own admin access to one server.
type admin struct {
	server     remote.Target
	kubeconfig []byte
	config     *rest.Config
	ends       time.Time
	// clock is the server's time when the kubeconfig was read.
	clock time.Time
}

// hasEnded reports whether the certificate has expired by the server's own clock.
func (a admin) hasEnded() bool { return a.clock.After(a.ends) }

// admins reads all servers in parallel and returns the accesses of the servers that answer within
// limit, in order. The error joins the errors of the other servers.
func (i *Issuer) admins(
	ctx context.Context, servers []remote.Target, limit time.Duration,
) ([]admin, error) {
	found := make([]*admin, len(servers))
	err := k3shost.ForEach(servers, func(n int, server remote.Target) (err error) {
		if found[n], err = i.admin(ctx, server, limit); err != nil {
			return fmt.Errorf("k3s.yaml of %s: %w", server, err)
		}
		return nil
	})
	var list []admin
	for _, one := range found {
		if one != nil {
			list = append(list, *one)
		}
	}
	return list, err
}

// admin returns K3s's own access from one server. It fails if the server's clock differs too much
// from this machine's: a certificate that one of the two has just issued could be invalid for the
// other.
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
