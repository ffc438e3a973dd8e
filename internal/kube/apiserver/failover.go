// Package apiserver reaches a cluster through whichever of its API servers answers. It serves work
// that must go on while one of them is restarted or gone: upgrades, and the removal of nodes.
package apiserver

import (
	"context"
	"errors"
	"net"
	"time"

	"k8s.io/client-go/rest"

	"strata/internal/ssh/tunnel"
)

// dialLimit bounds the attempt at one server, because packets to a host that is down get no answer.
const dialLimit = 3 * time.Second

// everyServer is a name in every API server's certificate (k3s-io/k3s pkg/cluster/https.go). An
// address may be missing: a server's certificate has only the addresses that were known at its last
// restart.
const everyServer = "kubernetes"

// Failover makes config reach the first of the servers, as host:port, that takes a connection. The
// certificate is still checked against the CA of the kubeconfig, for the name that every server
// has. If config has the proxy of a tunnel, the connections go through it.
func Failover(config *rest.Config, servers []string) *rest.Config {
	config = rest.CopyConfig(config)
	config.ServerName = everyServer
	dial := tunnel.ProxyDialer(config, net.Dialer{Timeout: dialLimit, KeepAlive: 5 * time.Second})
	config.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		var failures []error
		for _, server := range servers {
			conn, err := dial(ctx, network, server)
			if err == nil {
				return conn, nil
			}
			failures = append(failures, err)
		}
		return nil, errors.Join(append(failures, ctx.Err())...)
	}
	return config
}
