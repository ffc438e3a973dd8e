package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// ErrNoJumpHost reports that no jump host on the way could forward a connection.
var ErrNoJumpHost = errors.New("no jump host on the way")

// DialJumpHost logs in to the last jump host of a target, as Dial does to the target itself.
// Client.DialContext then connects from there. It does not use sudo. It fails with ErrNoJumpHost,
// or as Dial does.
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

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Ping waits for a sign of life of the host.
func (c *Client) Ping(ctx context.Context) error {
	answered := make(chan error, 1)
	go func() { // The request blocks on a peer that no longer reads.
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

// DialContext makes one attempt to connect to a TCP address from the host, bounded by a few
// seconds. An error about the address has the form of a local dial (a *net.OpError with
// syscall.ECONNREFUSED, a timeout) or is ErrConnectFailed. ErrForwarding reports a host that
// forwards no connection. Every other error is about the connection to the host.
func (c *Client) DialContext(ctx context.Context, address string) (net.Conn, error) {
	return dialFrom(ctx, c.ssh, address)
}
