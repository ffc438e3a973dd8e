package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"strata/health"
	"strata/internal/kube/apiserver"
	"strata/internal/ssh/tunnel"
)

// RequestTimeout limits one request to an API server. A healthy server answers in milliseconds;
// after a timeout, Cluster.Read tries the next server.
const RequestTimeout = 3 * time.Second

// maxSlow limits how often Cluster.slow doubles RequestTimeout: servers under load get up to 24 s.
const maxSlow = 3

// APIServer holds the clients of one API server. They connect to the server's own address, so that
// no load balancer hides which server answers.
type APIServer struct {
	// Name is the host and port, for messages.
	Name string
	url  string
	http *http.Client
	Dyn  dynamic.Interface
	// Config is the configuration of both clients. It still has the proxy that withDialer replaces
	// in the clients.
	Config *rest.Config
	// existing is true if the cluster is an existing one, which Strata did not install.
	existing bool
}

// Cluster holds every API server of a Spec.
type Cluster struct {
	Servers []*APIServer
	// good is the index of the server that answered last. Reads start with it.
	good atomic.Int32
	// slow counts failed Reads with a timeout since the last quick answer. Each of them doubles
	// RequestTimeout, up to maxSlow times.
	slow atomic.Int32
}

// ClusterOf returns the API servers that a gate's Spec names.
func ClusterOf(spec health.Spec, secrets health.Secrets) (*Cluster, error) {
	all, err := NewCluster(spec.Servers, secrets.Kubeconfig, spec.Tunnel())
	if err != nil {
		return nil, err
	}
	for _, server := range all.Servers {
		server.existing = spec.Existing
	}
	return all, nil
}

// NewCluster builds the clients of each server from the kubeconfig's credentials, CA and proxy, and
// the tunnel of through. It ignores the server in the kubeconfig. The CA makes TLS verification
// fail if another machine has a server's address.
func NewCluster(servers []string, kubeconfig []byte, through tunnel.Spec) (*Cluster, error) {
	if len(servers) == 0 {
		return nil, errors.New("spec: servers: empty; expected at least one https://address:port")
	}
	if len(kubeconfig) == 0 {
		return nil, errors.New("kubeconfig: empty; expected it in STRATA_KUBECONFIG")
	}
	base, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", apiserver.Redact(err))
	}
	if base.Insecure {
		return nil, errors.New("kubeconfig: insecure-skip-tls-verify is set: a gate cannot tell " +
			"whose cluster answers; set certificate-authority-data")
	}
	through.Use(base) // K3s's kubeconfig names no proxy
	all := &Cluster{}
	for _, server := range servers {
		one, err := newAPIServer(server, base, through)
		if err != nil {
			return nil, err
		}
		all.Servers = append(all.Servers, one)
	}
	return all, nil
}

func newAPIServer(server string, base *rest.Config, through tunnel.Spec) (*APIServer, error) {
	address, err := url.Parse(server)
	if err != nil || address.Scheme != "https" || address.Host == "" {
		return nil, fmt.Errorf("spec: servers: %q is not https://address:port", server)
	}
	config := rest.CopyConfig(base)
	config.Host = "https://" + address.Host + strings.TrimSuffix(address.Path, "/") // a proxy may route by path
	// client-go's rate limiter would delay observations without a message. It is not needed,
	// because each observation makes a limited number of requests.
	config.QPS = -1
	config.UserAgent = "strata-gate"
	direct := withDialer(config, through)
	client, err := rest.HTTPClientFor(direct)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: client for %s: %w", address.Host, err)
	}
	dyn, err := dynamic.NewForConfigAndClient(direct, client)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: client for %s: %w", address.Host, err)
	}
	return &APIServer{Name: address.Host, url: config.Host, http: client, Dyn: dyn,
		Config: config}, nil
}

// withDialer returns a copy of config that dials through the tunnel, or through its SOCKS proxy, by
// itself. Connection errors are then the API server's own, and not the proxy's description of them.
// Without a tunnel or proxy, the copy is unchanged.
func withDialer(config *rest.Config, through tunnel.Spec) *rest.Config {
	config = rest.CopyConfig(config)
	dialer := net.Dialer{Timeout: RequestTimeout}
	switch {
	case through.There():
		config.Proxy, config.Dial = nil, tunnel.Dialer(through, dialer)
	case tunnel.HasProxy(config):
		config.Dial = tunnel.ProxyDialer(config, dialer)
	}
	return config
}

// Read calls its function for the server that answered last and, after an error, for the next one.
// It stops at 403 and 404, which every server would return. It returns nil after a success,
// otherwise the fault of the first server.
func (c *Cluster) Read(ctx context.Context, once func(context.Context, *APIServer) error) *Fault {
	var first *Fault
	start, slow, late := int(c.good.Load()), c.slow.Load(), false
	for i := range c.Servers {
		index := (start + i) % len(c.Servers)
		server := c.Servers[index]
		attempt, cancel := context.WithTimeout(ctx, RequestTimeout<<slow)
		asked := time.Now()
		err := once(attempt, server)
		late = late || attempt.Err() != nil
		cancel()
		if err == nil {
			c.good.Store(int32(index)) //nolint:gosec // an index of the servers
			if time.Since(asked) < RequestTimeout {
				c.slow.Store(0)
			}
			return nil
		}
		if first == nil {
			first = server.Fault(err)
		}
		if !first.elsewhere() || ctx.Err() != nil {
			break
		}
	}
	if late && ctx.Err() == nil {
		c.slow.Store(min(slow+1, maxSlow))
	}
	return first
}
