package tunnel

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"golang.org/x/net/proxy"
	"k8s.io/client-go/rest"
)

// Through takes a SOCKS proxy out of config, and connects as it would have: for a client that
// chooses the addresses itself, or that wants to know why. It may be a tunnel, as the kubeconfig of
// a stack names it, or a proxy of a person's own, whose user and password it keeps; other proxies
// are left to client-go. Without one it connects directly.
func Through(config *rest.Config, direct net.Dialer) DialFunc {
	at := proxyOf(config)
	if at == nil {
		return direct.DialContext
	}
	config.Proxy = nil
	if ip := net.ParseIP(at.Hostname()); at.User != nil || ip == nil || !ip.IsLoopback() {
		return foreign(at, direct)
	}
	// ssh -D listens on the loopback, too.
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := line{at: at.Host, digest: anyTunnel, direct: direct}.dial(ctx, network, address)
		switch {
		case errors.Is(err, errNoTunnel):
			return foreign(at, direct)(ctx, network, address)
		case errors.Is(err, errAbsent):
			return nil, &DownError{Address: at.Host, Foreign: true, Why: "nothing listens there; for a stack behind a jump host, strata tunnel opens it"}
		}
		return conn, err
	}
}

// Proxied says whether config has a SOCKS proxy, which Through connects through.
func Proxied(config *rest.Config) bool { return proxyOf(config) != nil }

// proxyOf is the SOCKS proxy of config; nil where it has none.
func proxyOf(config *rest.Config) *url.URL {
	if config.Proxy == nil {
		return nil
	}
	at, err := config.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "kubernetes"}})
	if err != nil || at == nil || at.Scheme != scheme && at.Scheme != scheme+"h" {
		return nil
	}
	return at
}

// foreign connects through a proxy of a person's own.
func foreign(at *url.URL, direct net.Dialer) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if direct.Timeout > 0 {
			bounded, cancel := context.WithTimeout(ctx, direct.Timeout)
			defer cancel()
			ctx = bounded
		}
		socks, err := proxy.FromURL(at, toProxy{direct, at.Host})
		if err != nil {
			return nil, err
		}
		conn, err := socks.(proxy.ContextDialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, foreignError(ctx, at.Host, network, err)
		}
		return conn, nil
	}
}

// toProxy connects to the proxy itself, and tells its trouble from what the proxy says.
type toProxy struct {
	direct net.Dialer
	at     string
}

// DialContext implements proxy.ContextDialer.
func (p toProxy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.direct.DialContext(ctx, network, address)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		return nil, &DownError{Address: p.at, Foreign: true, Why: innermost(err)}
	}
	return conn, err
}

// Dial implements proxy.Dialer, which nothing calls where there is a DialContext.
func (p toProxy) Dial(network, address string) (net.Conn, error) {
	return p.direct.Dial(network, address)
}

// foreignError gives what a proxy says of an address the form that a dial from here has; everything
// else is the proxy's own trouble.
func foreignError(ctx context.Context, through, network string, err error) error {
	dial := func(cause error) error { return &net.OpError{Op: "dial", Net: network, Err: cause} }
	var down *DownError
	text := err.Error()
	switch {
	case errors.As(err, &down):
		return down
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return dial(os.ErrDeadlineExceeded)
	case strings.HasSuffix(text, "connection refused"): // golang.org/x/net/internal/socks: "unknown error connection refused"
		return dial(syscall.ECONNREFUSED)
	case strings.HasSuffix(text, "unreachable"):
		return dial(syscall.EHOSTUNREACH)
	}
	return &DownError{Address: through, Foreign: true, Why: innermost(err)}
}

// innermost is a network error without its addresses, of which one is another each time.
func innermost(err error) string {
	var outer *net.OpError
	for errors.As(err, &outer) {
		err = outer.Err
	}
	return err.Error()
}
