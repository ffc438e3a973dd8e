package credential

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/apiserver"
	k3snode "strata/internal/k3s/node"
	"strata/internal/remote"
	"strata/internal/tunnel"
)

const (
	// readLimit bounds the attempt at one server: those that are gone must leave time for the others.
	readLimit = 15 * time.Second
	// restartLimit bounds a restart of K3s, which systemd ends once K3s says that it is up. With etcd it needs a majority of the servers.
	restartLimit = 3 * time.Minute
)

// readScript prints K3s's own kubeconfig, and restartScript starts K3s anew, which renews every certificate that ends within 120 days,
// 90 in older releases (k3s-io/k3s pkg/daemons/config/types.go, CertificateRenewDays). Containers go on.
const (
	readScript    = "cat /etc/rancher/k3s/k3s.yaml"
	restartScript = "systemctl restart k3s"
)

// Hosts is what is done on servers, and how their API is reached.
type Hosts interface {
	// Admin reads K3s's own kubeconfig.
	Admin(ctx context.Context, server remote.Target) ([]byte, error)
	// Restart restarts K3s, and returns once it is up.
	Restart(ctx context.Context, server remote.Target) error
	// Client reaches the API server of one server.
	Client(config *rest.Config, server remote.Target) (kubernetes.Interface, error)
}

// SSH is Hosts as they are.
type SSH struct {
	// Key logs in.
	Key []byte
	// Owner is whose the servers must be; nil, in a state from before there were marks, checks nothing.
	Owner *k3snode.Owner
}

// Admin implements Hosts.
func (s *SSH) Admin(ctx context.Context, server remote.Target) ([]byte, error) {
	return s.run(ctx, server, readScript, readLimit)
}

// Restart implements Hosts.
func (s *SSH) Restart(ctx context.Context, server remote.Target) error {
	_, err := s.run(ctx, server, restartScript, restartLimit)
	return err
}

// Client implements Hosts.
func (s *SSH) Client(config *rest.Config, server remote.Target) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	tunnel.Of(server).Use(config) // K3s's own kubeconfig knows of none
	return kubernetes.NewForConfig(apiserver.Only(config, apiserver.Address(server.Address)))
}

func (s *SSH) run(ctx context.Context, server remote.Target, script string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	output, err := k3snode.Run(ctx, server, s.Key, "set -eu\n"+s.Owner.At(server.Name).Insists()+script+"\n")
	return []byte(output), err
}

// admin is K3s's own access on one server.
type admin struct {
	server remote.Target
	config *rest.Config
	ends   time.Time
}

// admins are those of all servers that answer, in their order; the error says why the others are missing.
func admins(ctx context.Context, hosts Hosts, servers []remote.Target) ([]admin, error) {
	found, failures := make([]*admin, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		all.Go(func() {
			text, err := hosts.Admin(ctx, server)
			if err == nil {
				found[i], err = adminOf(server, text)
			}
			if err != nil {
				failures[i] = fmt.Errorf("k3s.yaml of %s: %w", server, err)
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

func adminOf(server remote.Target, text []byte) (*admin, error) {
	config, err := read(text)
	if err != nil {
		return nil, err
	}
	ends, err := endOf(config.CertData)
	return &admin{server, config, ends}, err
}
