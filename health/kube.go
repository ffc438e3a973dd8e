package health

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// requestTimeout bounds one request to an API server. A healthy one answers in milliseconds; one that hangs must not hide
// for longer than this that another one answers.
const requestTimeout = 3 * time.Second

// apiServer is one API server, asked under its own address so that no load balancer hides which one answers.
type apiServer struct {
	// name is the host and port, for messages.
	name string
	url  string
	http *http.Client
	dyn  dynamic.Interface
	// config is what both are made of.
	config *rest.Config
	// lent says that it is somebody else's.
	lent bool
}

// cluster is every API server of a Spec.
type cluster struct {
	servers []*apiServer
	// good is the index of the server that answered last; reads start there.
	good atomic.Int32
}

// newClusterOf is the cluster that a gate asks.
func newClusterOf(spec Spec, secrets Secrets) (*cluster, error) {
	all, err := newCluster(spec.Servers, secrets.Kubeconfig)
	if err != nil {
		return nil, err
	}
	for _, server := range all.servers {
		server.lent = spec.Lent
	}
	return all, nil
}

// newCluster builds one client per server from the kubeconfig's credentials and CA. The kubeconfig's own server is not
// used; its CA is, on purpose: an address that somebody else holds must fail verification.
func newCluster(servers []string, kubeconfig []byte) (*cluster, error) {
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
		return nil, errors.New("kubeconfig: insecure-skip-tls-verify is set: a gate cannot tell whose cluster answers; set certificate-authority-data")
	}
	all := &cluster{}
	for _, server := range servers {
		one, err := newAPIServer(server, base)
		if err != nil {
			return nil, err
		}
		all.servers = append(all.servers, one)
	}
	return all, nil
}

func newAPIServer(server string, base *rest.Config) (*apiServer, error) {
	address, err := url.Parse(server)
	if err != nil || address.Scheme != "https" || address.Host == "" {
		return nil, fmt.Errorf("spec: servers: %q is not https://address:port", server)
	}
	config := rest.CopyConfig(base)
	config.Host = "https://" + address.Host + strings.TrimSuffix(address.Path, "/") // a proxy tells clusters apart by path
	// The client's own limiter would delay a look without a word; the number of requests is bounded by the looks.
	config.QPS = -1
	config.UserAgent = "strata-gate"
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: client for %s: %w", address.Host, err)
	}
	dyn, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: client for %s: %w", address.Host, err)
	}
	return &apiServer{name: address.Host, url: config.Host, http: client, dyn: dyn, config: config}, nil
}

// read runs one look against the server that answered last and, where that server cannot be asked, against the next. An
// answer such as "not found" is an answer. The returned fault is the first server's.
func (c *cluster) read(ctx context.Context, look func(context.Context, *apiServer) error) *fault {
	var first *fault
	start := int(c.good.Load())
	for i := range c.servers {
		index := (start + i) % len(c.servers)
		server := c.servers[index]
		attempt, cancel := context.WithTimeout(ctx, requestTimeout)
		err := look(attempt, server)
		cancel()
		if err == nil {
			c.good.Store(int32(index)) //nolint:gosec // an index of the servers
			return nil
		}
		if first == nil {
			first = server.fault(err)
		}
		if !first.elsewhere() || ctx.Err() != nil {
			break
		}
	}
	return first
}

// look is read for a gate: it also says for how many seconds the API has failed in the same way.
func (c *cluster) look(ctx context.Context, seen *settled, read func(context.Context, *apiServer) error) (*fault, int) {
	fault := c.read(ctx, read)
	if fault != nil {
		return fault, seen.seconds("api", string(fault.Kind))
	}
	seen.forget("api")
	return nil, 0
}
