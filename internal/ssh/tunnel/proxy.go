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

// ProxyDialer removes a SOCKS proxy from config, and returns a function that connects through that
// proxy. It is for clients that choose addresses themselves, or need the cause of an error. The
// proxy may be a tunnel, from a stack's kubeconfig, or a user's own, with a user and password.
// ProxyDialer does not remove other kinds of proxies from config, because client-go supports them.
// If config has no SOCKS proxy, the function connects directly.
func ProxyDialer(config *rest.Config, direct net.Dialer) DialFunc {
	at := proxyOf(config)
	if at == nil {
		return direct.DialContext
	}
	config.Proxy = nil
	if ip := net.ParseIP(at.Hostname()); at.User != nil || ip == nil || !ip.IsLoopback() {
		return foreign(at, direct)
	}
	// The proxy may be a tunnel or a user's own ssh -D: both listen on the loopback.
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := line{at: at.Host, digest: anyTunnel, direct: direct}.dial(ctx, network,
			address)
		switch {
		case errors.Is(err, errNoTunnel):
			return foreign(at, direct)(ctx, network, address)
		case errors.Is(err, errAbsent):
			return nil, &DownError{Address: at.Host, Foreign: true,
				Why: "nothing listens there; for a stack behind a jump host, strata tunnel opens it"}
		}
		return conn, err
	}
}

// HasProxy reports whether config has a SOCKS proxy, which ProxyDialer connects through.
func HasProxy(config *rest.Config) bool { return proxyOf(config) != nil }

// proxyOf returns the SOCKS proxy of config; nil if it has none.
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

// foreign returns a function that connects through a user's own proxy.
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

// toProxy connects to the proxy itself. It returns a DownError if the proxy cannot be reached, to
// distinguish this error from the proxy's replies.
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

// Dial implements proxy.Dialer; it is unused because DialContext exists.
func (p toProxy) Dial(network, address string) (net.Conn, error) {
	return p.direct.Dial(network, address)
}

// foreignError converts a proxy's error about an address to the form of a local dial's. For every
// other error, it returns a DownError of the proxy.
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
	// The text ends a message like "unknown error connection refused"
	// (golang.org/x/net/internal/socks).
	case strings.HasSuffix(text, "connection refused"):
		return dial(syscall.ECONNREFUSED)
	case strings.HasSuffix(text, "unreachable"):
		return dial(syscall.EHOSTUNREACH)
	}
	return &DownError{Address: through, Foreign: true, Why: innermost(err)}
}

// innermost returns a network error's message without addresses, because ports differ each time.
func innermost(err error) string {
	var outer *net.OpError
	for errors.As(err, &outer) {
		err = outer.Err
	}
	return err.Error()
}
