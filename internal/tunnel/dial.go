package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"golang.org/x/net/proxy"
	"k8s.io/client-go/rest"
)

// DialFunc connects, as net.Dialer's DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// DownError says that it is the tunnel that lets no connection through, and not who was to be reached.
type DownError struct {
	// Address is the proxy's on this machine.
	Address string
	// Why is what the tunnel says, or that there is none.
	Why string
}

func (e *DownError) Error() string {
	return fmt.Sprintf("the tunnel at %s lets nothing through: %s", e.Address, e.Why)
}

// Dialer connects through the proxy at an address, as host:port. Its errors have the form of a dial from here, with what the far end said
// (syscall.ECONNREFUSED, syscall.EHOSTUNREACH), or are a *DownError. With an empty address it is direct.
func Dialer(through string, direct net.Dialer) DialFunc {
	if through == "" {
		return direct.DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		socks, err := proxy.SOCKS5("tcp", through, nil, &direct)
		if err != nil {
			return nil, err
		}
		if direct.Timeout > 0 {
			bounded, cancel := context.WithTimeout(ctx, direct.Timeout)
			defer cancel()
			ctx = bounded
		}
		conn, err := socks.(proxy.ContextDialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, explained(ctx, through, network, err)
		}
		return conn, nil
	}
}

// Through takes a tunnel's proxy out of config, and connects as it would have: for a client that chooses the addresses itself, or that wants to
// know why. Without one it connects directly.
func Through(config *rest.Config, direct net.Dialer) DialFunc {
	at := proxyOf(config)
	if at != "" {
		config.Proxy = nil
	}
	return Dialer(at, direct)
}

// Proxied says whether config has a tunnel's proxy, and not another one of a person's.
func Proxied(config *rest.Config) bool { return proxyOf(config) != "" }

func proxyOf(config *rest.Config) string {
	if config.Proxy == nil {
		return ""
	}
	at, err := config.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "kubernetes"}})
	if err != nil || at == nil || at.Scheme != scheme {
		return ""
	}
	return at.Host
}

// explained gives what the proxy says the form that a dial from here has.
func explained(ctx context.Context, through, network string, err error) error {
	dial := func(cause error) error { return &net.OpError{Op: "dial", Net: network, Err: cause} }
	text := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return dial(os.ErrDeadlineExceeded)
	case ctx.Err() != nil:
		return err
	case errors.Is(err, syscall.ECONNREFUSED):
		return &DownError{through, "there is none; strata tunnel opens one"}
	case strings.HasSuffix(text, "connection refused"): // golang.org/x/net/internal/socks: "unknown error connection refused"
		return dial(syscall.ECONNREFUSED)
	}
	if trouble := why(ctx, through); trouble != "" {
		return &DownError{through, trouble}
	}
	if strings.HasSuffix(text, "unreachable") {
		return dial(syscall.EHOSTUNREACH)
	}
	return err
}
