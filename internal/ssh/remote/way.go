package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// ErrForwarding reports that a jump host is configured to forward no connections. Waiting does not
// help.
var ErrForwarding = errors.New("jump host forwards no connection")

// ErrConnectFailed reports that a jump host could not connect to the next address. The reason is
// unknown, because SSH's error does not tell it.
var ErrConnectFailed = errors.New("it could not connect")

// way holds the connections to the jump hosts of a target. They stay open between attempts to reach
// the target.
type way struct {
	hops []*login
	// last is the connection to the last jump host. gone is closed when that connection has ended.
	last *ssh.Client
	gone chan struct{}
}

// newWay prepares the route to a target. keys are for its jump hosts.
func newWay(t Target, keys []ssh.Signer) (*way, error) {
	w := &way{}
	for _, hop := range t.hops() {
		l, err := newLogin(hop, keys)
		if err != nil {
			return nil, fmt.Errorf("jump host: %w", err)
		}
		w.hops = append(w.hops, l)
	}
	return w, nil
}

// open returns the connection to the last jump host; nil if there is none. Its error names the jump
// host that failed.
func (w *way) open(ctx context.Context) (*ssh.Client, error) {
	if w.last != nil {
		select {
		case <-w.gone:
			w.close()
		default:
			return w.last, nil
		}
	}
	for _, hop := range w.hops {
		_, client, err := hop.connect(ctx, w.last)
		if err != nil {
			w.close()
			return nil, fmt.Errorf("jump host %s: %w", hop.target, hop.explain(err))
		}
		w.last = client
	}
	if w.last != nil {
		client, gone := w.last, make(chan struct{})
		w.gone = gone
		go func() {
			_ = client.Wait() // The interrupted call returns the reason.
			close(gone)
		}()
	}
	return w.last, nil
}

// close closes the connections to all jump hosts. The next open makes new ones.
func (w *way) close() {
	if w.last != nil {
		_ = w.last.Close() // The connection is not used again.
	}
	w.last = nil
}

// reach makes one attempt to log in at the host itself. Its error is one of login.explain.
func (w *way) reach(ctx context.Context, l *login) (*watchedConn, *ssh.Client, error) {
	via, err := w.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	conn, client, err := l.connect(ctx, via)
	if err == nil || via == nil {
		return conn, client, l.explain(err)
	}
	var silence net.Error
	if errors.As(err, &silence) && silence.Timeout() {
		w.close() // The jump host may not answer any more.
	}
	return nil, nil, fmt.Errorf("through jump host %s: %w", w.hops[len(w.hops)-1].target,
		l.explain(err))
}

// tunnel is a connection that a jump host forwards.
type tunnel struct {
	net.Conn
	via *ssh.Client
	// whole is true once the login at the host has succeeded: Close then closes the whole
	// connection to the jump host. Closing only the channel would wait for the jump host, which may
	// be dead. Before the login has succeeded, Close only closes the channel, and the next attempt
	// uses the connection to the jump host again.
	whole atomic.Bool
}

func (t *tunnel) Close() error {
	if t.whole.Load() {
		return t.via.Close()
	}
	return t.Conn.Close()
}

// dial connects to the target, from the jump host via, or from this machine if via is nil.
func (t Target) dial(ctx context.Context, via *ssh.Client) (net.Conn, error) {
	switch {
	case via == nil && t.ProxyCommand != "":
		return startProxy(t.ProxyCommand)
	case via == nil:
		dialer := net.Dialer{Timeout: connectTimeout}
		return dialer.DialContext(ctx, "tcp", t.endpoint())
	}
	conn, err := dialFrom(ctx, via, t.endpoint())
	if err != nil {
		return nil, err
	}
	return &tunnel{Conn: conn, via: via}, nil
}

// dialFrom makes one attempt to connect to an address from the jump host via, within
// connectTimeout.
func dialFrom(ctx context.Context, via *ssh.Client, endpoint string) (net.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := via.DialContext(bounded, "tcp", endpoint)
	if err != nil {
		return nil, toDialError(err)
	}
	return conn, nil
}

// toDialError converts a jump host's error about an address to the form of a local dial error.
func toDialError(err error) error {
	var refused *ssh.OpenChannelError
	dial := func(cause error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: cause} }
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return dial(os.ErrDeadlineExceeded)
	case !errors.As(err, &refused):
		return err
	case refused.Reason == ssh.Prohibited, refused.Reason == ssh.UnknownChannelType:
		return fmt.Errorf("%w: %s; set AllowTcpForwarding yes in its sshd_config, and PermitOpen if it is there",
			ErrForwarding, oneLine(refused.Message))
	}
	// sshd's messages contain the texts of strerror(3).
	for words, cause := range map[string]error{
		"refused": syscall.ECONNREFUSED, "No route": syscall.EHOSTUNREACH,
		"unreachable": syscall.EHOSTUNREACH, "timed out": os.ErrDeadlineExceeded,
	} {
		if strings.Contains(refused.Message, words) {
			return dial(cause)
		}
	}
	return fmt.Errorf("%w: %s", ErrConnectFailed, oneLine(refused.Message))
}
