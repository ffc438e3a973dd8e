package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ErrNoJumpHost reports that the target has no jump host that could forward a connection.
var ErrNoJumpHost = errors.New("no jump host on the way")

// DialJumpHost logs in to the last jump host of a target, as Dial logs in to the target.
// Client.DialContext then connects from there. DialJumpHost does not use sudo. It fails with
// ErrNoJumpHost, or as Dial does.
func (d Dialer) DialJumpHost(ctx context.Context, t Target) (*Client, error) {
	hops := t.hops()
	if len(hops) == 0 {
		return nil, fmt.Errorf("%s: %w", t, ErrNoJumpHost)
	}
	keys, err := parseAccess(d.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("private key for jump host: %w", err)
	}
	last := hops[len(hops)-1]
	last.Jump = t.Jump[:len(hops)-1]
	client, err := d.login(ctx, last, keys)
	if err != nil {
		return nil, fmt.Errorf("jump host %w", err)
	}
	return client, nil
}

// Done returns a channel that is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Ping waits until the host answers a keepalive.
func (c *Client) Ping(ctx context.Context) error {
	answered := make(chan error, 1)
	go func() { // The request blocks if the peer no longer reads.
		_, _, err := c.ssh.SendRequest("keepalive@openssh.com", true, nil)
		answered <- err
	}()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// DialContext makes one attempt to connect from the host to a TCP address, bounded by a few
// seconds. If the address does not answer, the error has the form of a local dial (a *net.OpError
// with syscall.ECONNREFUSED or a timeout), or is ErrConnectFailed. If the host forwards no
// connection, the error is ErrForwarding. Every other error means that the connection to the host
// failed.
func (c *Client) DialContext(ctx context.Context, address string) (net.Conn, error) {
	return dialFrom(ctx, c.ssh, address)
}
