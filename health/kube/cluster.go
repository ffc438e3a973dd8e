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
	"strata/health/observe"
	"strata/internal/ssh/tunnel"
)

// RequestTimeout bounds one request to an API server. A healthy server answers in milliseconds, and
// after this time another server is asked instead of one that hangs.
const RequestTimeout = 3 * time.Second

// maxSlow is the number of times that slow doubles the timeout: servers under load have up to 24 s.
const maxSlow = 3

// APIServer is one API server. It is asked at its own address, so that no load balancer hides which
// server answers.
type APIServer struct {
	// Name is the host and port, for messages.
	Name string
	url  string
	http *http.Client
	Dyn  dynamic.Interface
	// Config is the base of both clients.
	Config *rest.Config
	// existing is true of a server of an existing cluster.
	existing bool
}

// Cluster holds every API server of a Spec.
type Cluster struct {
	Servers []*APIServer
	// good is the index of the server that answered last. Reads start with it.
	good atomic.Int32
	// slow counts how often no server has answered in time. Each time doubles the servers' timeout,
	// up to maxSlow times.
	slow atomic.Int32
}

// ClusterOf returns the cluster that a gate observes.
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

// NewCluster builds one client per server from the kubeconfig's credentials and CA. It does not use
// the kubeconfig's own server. It uses the CA so that verification fails at an address that another
// machine holds. It also uses the proxy of the kubeconfig and the tunnel of through.
func NewCluster(servers []string, kubeconfig []byte, through tunnel.Spec) (*Cluster, error) {
	if len(servers) == 0 {
		return nil, errors.New("spec: servers: empty; expected at least one https://address:port")
	}
	if len(kubeconfig) == 0 {
		return nil, errors.New("kubeconfig: empty; expected it in STRATA_KUBECONFIG")
	}
	base, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	if base.Insecure {
		return nil, errors.New("kubeconfig: insecure-skip-tls-verify is set: a gate cannot tell " +
			"whose cluster answers; set certificate-authority-data")
	}
	through.Use(base) // K3s's own kubeconfig knows of none
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
	config.Host = "https://" + address.Host + strings.TrimSuffix(address.Path, "/") // a proxy tells clusters apart by path
	// The client's own limiter would delay an observation silently. The observations themselves
	// bound the number of requests.
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

// withDialer returns config with a dialer instead of its SOCKS proxy. A fault is then the API
// server's own and not the proxy's description of it.
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

// Read runs one observation against the server that answered last. If that server cannot be asked,
// Read tries the next one. A response such as "not found" counts as an answer. If no server can be
// asked, Read returns the fault of the first one.
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

// ObserveOnce runs Read for a gate. It also returns the number of seconds for which the API has
// failed in the same way.
func (c *Cluster) ObserveOnce(
	ctx context.Context, seen *observe.Stable, read func(context.Context, *APIServer) error,
) (*Fault, int) {
	fault := c.Read(ctx, read)
	if fault != nil {
		return fault, seen.Seconds("api", string(fault.Kind))
	}
	seen.Forget("api")
	return nil, 0
}
