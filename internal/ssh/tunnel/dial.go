package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// DialFunc connects to an address, like net.Dialer.DialContext.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// DownError reports that a tunnel or proxy forwards no connection, so it is unknown whether the
// address behind it answers.
type DownError struct {
	// Address is the address of the proxy, as host:port.
	Address string
	// Why is the error message that the tunnel sent, or says that no tunnel runs.
	Why string
	// Foreign is true for a user's own proxy, and false for a tunnel of Strata's.
	Foreign bool
}

func (e *DownError) Error() string {
	if e.Foreign {
		return fmt.Sprintf("the kubeconfig's proxy at %s lets nothing through: %s",
			e.Address, e.Why)
	}
	return fmt.Sprintf("the tunnel at %s lets nothing through: %s", e.Address, e.Why)
}

// Cause returns the cause, as a gate reports it.
func (e *DownError) Cause() string {
	if e.Foreign {
		return "nothing is known of what is behind the proxy that the kubeconfig names (proxy-url)"
	}
	return "nothing is known of what is behind the jump host"
}

// Hint returns the fix, as a gate reports it.
func (e *DownError) Hint() string {
	if e.Foreign {
		return "start that proxy, or correct proxy-url in the kubeconfig"
	}
	return "log in to the jump host by hand (ssh); strata tunnel -s STACK says why it does not open"
}

// Dialer returns a function that connects through the tunnel of this Spec, and never through
// another tunnel on the same port. The function's errors for an address that does not answer have
// the form of a local dial's (syscall.ECONNREFUSED, syscall.EHOSTUNREACH, os.ErrDeadlineExceeded).
// If the tunnel forwards nothing, the error is a *DownError. If the Spec has no tunnel, the
// function connects directly.
func Dialer(through Spec, direct net.Dialer) DialFunc {
	if !through.There() {
		return direct.DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		digest, err := through.digest()
		if err != nil {
			return nil, err
		}
		conn, err := line{at: through.Address(), digest: digest, direct: direct}.dial(ctx, network,
			address)
		switch {
		case errors.Is(err, errAbsent):
			return nil, &DownError{Address: through.Address(),
				Why: "there is none; strata tunnel opens one"}
		case errors.Is(err, errNoTunnel):
			return nil, &DownError{Address: through.Address(),
				Why: "it has just ended, or the port is another program's: end that, or set " +
					"another port: strata:hosts.ssh.dynamicForward"}
		}
		return conn, err
	}
}

// line is the address and the digest of a tunnel to connect through.
type line struct {
	at, digest string
	direct     net.Dialer
}

// errNoTunnel reports that the port's listener is no tunnel.
var errNoTunnel = errors.New("it is no tunnel")

// dial connects to an address through the tunnel. It fails as Dialer does, or with
// errAbsent or errNoTunnel.
func (l line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if l.direct.Timeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, l.direct.Timeout)
		defer cancel()
		ctx = bounded
	}
	conn, err := l.direct.DialContext(ctx, "tcp", l.at)
	if err != nil {
		return nil, l.absent(ctx, err)
	}
	near := newBufferedConn(conn)
	said, err := near.ask(ctx, connectWord+l.digest+" "+address+"\n")
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = l.late(ctx, network)
	case err != nil:
		err = errNoTunnel
	default:
		err = said.error(network, l.at, l.digest)
	}
	if err != nil {
		_ = conn.Close() // The connection is not used.
		return nil, err
	}
	return near, nil
}

// absent converts the error of a connection to the tunnel's port. It returns errAbsent if nothing
// listens there.
func (l line) absent(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, syscall.ECONNREFUSED):
		return errAbsent
	}
	return &DownError{Address: l.at, Why: "it cannot be connected to: " + innermost(err)}
}

// late returns the error for a connection that timed out before the tunnel answered. The error is a
// timeout of the address only if the tunnel answers a greeting and its jump host works.
func (l line) late(ctx context.Context, network string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateLimit)
	defer cancel()
	lease, found, err := greet(asked, l.at)
	if err != nil {
		return &DownError{Address: l.at, Why: "it does not answer"}
	}
	lease.Close()
	switch {
	case found.Trouble != "":
		return &DownError{Address: l.at, Why: found.Trouble}
	case found.Pending:
		return &DownError{Address: l.at,
			Why: "jump host " + found.Last + ": " + errUnderWay.Error()}
	}
	return &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
}

// lateLimit bounds the check of late. It is short, because the caller has already waited.
const lateLimit = 500 * time.Millisecond
