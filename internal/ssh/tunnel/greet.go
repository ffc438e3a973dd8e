package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The lines that Strata sends to a tunnel. No SOCKS client begins with them. After greeting,
// endLine makes the tunnel exit if no other run uses it. replaceLine makes the tunnel exit if the
// jump host cannot be used. connectWord begins a connection (connect.go).
const (
	greeting    = "strata-tunnel\n"
	endLine     = "end\n"
	replaceLine = "replace\n"
	connectWord = "strata-connect "
)

// answer is the tunnel's answer to a line. It identifies the tunnel. FarEnd is only set after
// connectWord; Access, Uses and Pending describe the tunnel's state after every other line.
type answer struct {
	// Digest is the digest of the tunnel's Spec. Last is the jump host that makes the connections.
	Digest string `json:"digest"`
	Last   string `json:"last"`
	// Access identifies the keys that the tunnel logs in with (accessOf).
	Access string `json:"access,omitempty"`
	// Uses is the number of current users of the tunnel, without the client that receives this
	// answer.
	Uses int `json:"uses,omitempty"`
	// Trouble is the reason why the jump host cannot be used; empty if it can be. Pending is true
	// during a login.
	Trouble string `json:"trouble,omitempty"`
	Pending bool   `json:"pending,omitempty"`
	// FarEnd is the error of the jump host's connection to the address: a key of farEndErrors, or
	// another message of the jump host.
	FarEnd string `json:"farEnd,omitempty"`
}

const (
	// localLimit bounds a request to a process on this machine.
	localLimit = 2 * time.Second
	// askAgain is the pause between two checks of a short-lived state.
	askAgain = 20 * time.Millisecond
)

// errAbsent reports that nothing listens at the tunnel's port.
var errAbsent = errors.New("nothing listens there")

// Lease is one use of a tunnel. While a lease exists, the tunnel does not exit for idleness.
type Lease struct{ conn bufferedConn }

// Close releases the lease. It does nothing for a nil Lease, which belongs to no tunnel.
func (l *Lease) Close() {
	if l != nil {
		_ = l.conn.Close() // The tunnel notices it.
	}
}

// wait blocks until the tunnel closes the connection or the lease is closed.
func (l *Lease) wait() { _, _ = l.conn.in.ReadByte() }

// greet connects to a tunnel's address and returns a lease and the tunnel's state. It fails with
// errAbsent if nothing listens there.
func greet(ctx context.Context, address string) (*Lease, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, localLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, answer{}, errAbsent
	}
	if err != nil {
		return nil, answer{}, err
	}
	lease := &Lease{newBufferedConn(conn)}
	found, err := lease.conn.ask(ctx, greeting)
	if err != nil {
		lease.Close()
		return nil, answer{}, err
	}
	return lease, found, nil
}

// ask sends a line to the tunnel and reads its answer, within localLimit.
func (l *Lease) ask(line string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), localLimit)
	defer cancel()
	return l.conn.ask(ctx, line)
}

// awaitAnswer greets the tunnel at an address until its state is final: until a tunnel that is
// shutting down has exited, and until a pending login has finished. It stops waiting for a login
// once enough returns true.
func awaitAnswer(
	ctx context.Context, address string, enough func(answer) bool,
) (*Lease, answer, error) {
	ctx, cancel := context.WithTimeout(ctx, loginLimit)
	defer cancel()
	var lease *Lease
	var found answer
	var err error
	for range 3 {
		if lease, found, err = greet(ctx, address); err == nil || !hungUp(err) {
			break
		}
		_ = pause(ctx)
	}
	switch {
	case errors.Is(err, errAbsent):
		return nil, found, err
	case err != nil:
		return nil, found, fmt.Errorf(
			"port %s of this machine is another program's (%w); end it, or set another port: "+
				"strata:hosts.ssh.dynamicForward", address, err)
	}
	for found.Pending && !enough(found) && pause(ctx) == nil {
		if found, err = lease.ask(greeting); err != nil {
			lease.Close()
			// The tunnel exited, because the jump host refused its login.
			return nil, answer{}, errAbsent
		}
	}
	return lease, found, nil
}

// hungUp reports whether an error means that the other end closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// pause waits for askAgain. It fails only if ctx has ended.
func pause(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, askAgain, false,
		func(context.Context) (bool, error) { return true, nil })
}
