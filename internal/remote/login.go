package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
)

// login is an sshd on the way, and how to be let in by it.
type login struct {
	target Target
	config *ssh.ClientConfig
	pin    ssh.PublicKey
	// setting is where the configuration has the pin.
	setting string
	// What the last attempt offered and met.
	offered []ssh.Signer
	agent   net.Conn
	noAgent error
	banner  string
}

// newLogin is the login to a target, with keys.
func newLogin(t Target, keys []ssh.Signer, setting string) (*login, error) {
	pin, algorithms, err := pinnedKey(t)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && !t.Agent {
		return nil, fmt.Errorf("private key for %s: %w", t, errNoKey)
	}
	l := &login{target: t, pin: pin, setting: setting, offered: keys}
	l.config = &ssh.ClientConfig{
		User:              t.loginUser(),
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(keys...)},
		HostKeyAlgorithms: algorithms,
		HostKeyCallback:   checkPin(t, pin, setting),
		BannerCallback:    func(message string) error { l.banner = message; return nil },
	}
	if t.Agent {
		// One method for both, since each method is tried once.
		l.config.Auth = []ssh.AuthMethod{ssh.PublicKeysCallback(func() ([]ssh.Signer, error) { return l.withAgent(keys) })}
	}
	return l, nil
}

// withAgent are the keys, and behind them the agent's. An agent that does not answer matters only if the keys do not let in.
func (l *login) withAgent(keys []ssh.Signer) ([]ssh.Signer, error) {
	more, conn, err := agentKeys()
	l.agent, l.noAgent = conn, err
	l.offered = append(keys[:len(keys):len(keys)], more...)
	if len(l.offered) == 0 && err == nil {
		l.noAgent = fmt.Errorf("%w: it has no key; add one: ssh-add", ErrAgent)
	}
	if len(l.offered) == 0 {
		return nil, l.noAgent
	}
	return l.offered, nil
}

// connect makes one bounded attempt to log in, through the hop before or, with nil, directly.
func (l *login) connect(ctx context.Context, via *ssh.Client) (*watchedConn, *ssh.Client, error) {
	l.banner, l.noAgent = "", nil
	raw, err := dialThrough(ctx, via, l.target.endpoint())
	if err != nil {
		return nil, nil, err
	}
	conn, client, err := handshake(ctx, raw, l.target.endpoint(), l.config)
	if l.agent != nil {
		_ = l.agent.Close() // It has signed, or it will not.
		l.agent = nil
	}
	return conn, client, err
}

// explain gives an attempt's error the words of an operator.
func (l *login) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case l.pin == nil: // a first contact
		return plainDialError(err)
	case l.noAgent != nil && (errors.Is(err, ErrAgent) || strings.Contains(err.Error(), "unable to authenticate")):
		return fmt.Errorf("%s: %w", l.target, l.noAgent)
	}
	return explain(l.target, l.pin, l.setting, l.offered, l.banner, err)
}

// handshake exchanges keys and logs in, bounded. It closes raw unless it succeeds. A connection through a jump host knows no deadline, so it
// is the end of the connection that ends a handshake.
func handshake(ctx context.Context, raw net.Conn, endpoint string, config *ssh.ClientConfig) (*watchedConn, *ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn := &watchedConn{Conn: raw}
	through, forwarded := raw.(*tunnel)
	stop := context.AfterFunc(ctx, func() {
		if forwarded {
			through.whole.Store(true) // It may be a jump host that fell silent.
		}
		_ = raw.Close()
	})
	sshConn, channels, requests, err := ssh.NewClientConn(conn, endpoint, config)
	if !stop() {
		return nil, nil, os.ErrDeadlineExceeded
	}
	if err != nil {
		_ = raw.Close()
		return nil, nil, err
	}
	if forwarded {
		through.whole.Store(true)
	}
	return conn, ssh.NewClient(sshConn, channels, requests), nil
}
