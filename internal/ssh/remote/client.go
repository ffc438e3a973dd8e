package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"strata/internal/ssh/silence"
)

// A peer that lost power or network closes no connection, so it is detected by its silence. Any
// received data counts as a sign of life, so that a slow transfer is not taken for a dead one.
const (
	// keepaliveInterval is the pause between keepalive requests.
	keepaliveInterval = 2 * time.Second
	// deadAfter is the time without data after which the peer counts as dead, unless SetDeadAfter
	// sets another one. An sshd on a small host answers late while other connections load its disk
	// or processors: a dozen uploads at once, a gigabyte in all, have kept one silent for 8 s.
	deadAfter = time.Minute
	// SoonDead is the value for SetDeadAfter of callers that only observe and can connect again. It
	// is the time of three keepalives without an answer.
	SoonDead = 7 * time.Second
)

// Client is a connection to one host. It may be used by several goroutines.
type Client struct {
	target Target
	conn   *watchedConn
	ssh    *ssh.Client
	// sudo is the password of the target's user. It is empty if sudo needs no password, or is not
	// used.
	sudo string
	// beginWithin bounds the time until a script has started.
	beginWithin time.Duration
	done        chan struct{}
	// dead is true if keepAlive closed the connection because the peer sent nothing for deadAfter.
	dead atomic.Bool
	// deadAfter is the time without data after which the peer counts as dead, in nanoseconds.
	deadAfter atomic.Int64
}

func newClient(t Target, conn *watchedConn, client *ssh.Client) *Client {
	c := &Client{target: t, conn: conn, ssh: client, beginWithin: beginWithin,
		done: make(chan struct{})}
	conn.heard.Store(time.Now().UnixNano())
	c.SetDeadAfter(deadAfter)
	go func() {
		_ = client.Wait() // The interrupted call returns the reason.
		close(c.done)
	}()
	go c.keepAlive()
	return c
}

// Target returns the host that the client is connected to.
func (c *Client) Target() Target { return c.target }

// SetDeadAfter sets how long the peer may send nothing before it counts as dead. Default one
// minute.
func (c *Client) SetDeadAfter(silence time.Duration) { c.deadAfter.Store(int64(silence)) }

// Close closes the connection, which kills every command on it.
func (c *Client) Close() error {
	if err := c.ssh.Close(); err != nil && !errors.Is(err, net.ErrClosed) &&
		!errors.Is(err, os.ErrClosed) { // the latter from a ProxyCommand's pipes
		return fmt.Errorf("close connection to %s: %w", c.target, err)
	}
	return nil
}

// keepAlive sends keepalive requests until the connection is closed. It closes the connection if
// the peer counts as dead.
func (c *Client) keepAlive() {
	tick := time.NewTicker(keepaliveInterval)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		if time.Since(time.Unix(0, c.conn.heard.Load())) > c.patience() {
			c.dead.Store(true)
			_ = c.conn.Close() // Callers see the lost connection; this error adds nothing.
			return
		}
		// This request blocks if the peer no longer reads, so send it in the background.
		go func() { _, _, _ = c.ssh.SendRequest("keepalive@openssh.com", true, nil) }()
	}
}

func (c *Client) patience() time.Duration { return time.Duration(c.deadAfter.Load()) }

// openSession opens a session, and retries for sessionGrace. sshd refuses a session while
// MaxSessions others are open, and counts a session for some time after the client saw its end.
func (c *Client) openSession(ctx context.Context) (*ssh.Session, error) {
	for start := time.Now(); ; {
		session, err := c.ssh.NewSession()
		var refused *ssh.OpenChannelError
		switch {
		case err == nil:
			return session, nil
		case !errors.As(err, &refused):
			return nil, c.lostError(err)
		case time.Since(start) > sessionGrace:
			return nil, fmt.Errorf("%w: sshd of %s opens no session (%s); raise MaxSessions in its "+
				"sshd_config", ErrNotRun, c.target, oneLine(refused.Message))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("session on %s: %w (%w)", c.target, refused, silence.Err(ctx))
		case <-time.After(retryInterval):
		}
	}
}

// sessionGrace bounds how long sshd may refuse sessions.
const sessionGrace = 3 * time.Second

// startError returns the error of a command that did not start.
func (c *Client) startError(err error) error {
	// x/crypto has no typed error for this.
	if strings.HasPrefix(err.Error(), "ssh: command ") {
		return fmt.Errorf("sshd of %s started no process for user %s; see its log, and the limit of "+
			"the user's processes (ulimit -u)", c.target, c.target.loginUser())
	}
	return c.lostError(err)
}

// lostError returns the error of a call that failed because the connection was lost.
func (c *Client) lostError(err error) error {
	if c.dead.Load() {
		return fmt.Errorf("connection to %s lost: no answer for %s", c.target, c.patience())
	}
	return fmt.Errorf("connection to %s lost: %w", c.target, err)
}

// watchedConn records the time at which the peer last sent data.
type watchedConn struct {
	net.Conn
	heard atomic.Int64
	// greeting is the first line that the peer sent, or the first bytes of a long one.
	greeting []byte
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
		if len(c.greeting) < maxGreeting && !bytes.HasSuffix(c.greeting, []byte("\n")) {
			c.greeting = append(c.greeting, p[:n]...) // x/crypto reads it byte by byte
		}
	}
	return n, err
}

// maxGreeting bounds the bytes of a greeting in an error message.
const maxGreeting = 80

// explain returns the error of a handshake; it quotes a peer that did not send SSH.
func (c *watchedConn) explain(err error) error {
	greeting := oneLine(string(c.greeting))
	if greeting == "" || strings.HasPrefix(greeting, "SSH-") {
		return err
	}
	return fmt.Errorf("connection accepted and answered with %q: another program than sshd has "+
		"this port, or sshd refuses connections for a while", greeting)
}
