package remote

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
)

// login is an sshd on the way, and how to be let in by it.
type login struct {
	target Target
	config *ssh.ClientConfig
	keys   []ssh.Signer
	pin    ssh.PublicKey
	// setting is the configuration key of the pin.
	setting string
	// What the last attempt offered and met.
	offered []ssh.Signer
	agent   *agentSession
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
	l := &login{target: t, keys: keys, pin: pin, setting: setting}
	l.config = &ssh.ClientConfig{
		User:              t.loginUser(),
		HostKeyAlgorithms: algorithms,
		HostKeyCallback:   checkPin(t, pin, setting),
		BannerCallback:    func(message string) error { l.banner = message; return nil },
	}
	return l, nil
}

// offer returns one attempt's offer to sshd: the keys, and only when they do not let in the
// agent's, since an agent may hang, and a hardware key in it may want to be touched. The agent is
// asked until ctx ends.
func (l *login) offer(ctx context.Context) ssh.ClientAuthCallback {
	var methods []ssh.AuthMethod
	if len(l.keys) > 0 {
		methods = append(methods, ssh.PublicKeys(l.keys...))
	}
	if l.target.Agent {
		methods = append(methods, ssh.PublicKeysCallback(func() ([]ssh.Signer, error) { return l.agentKeys(ctx) }))
	}
	return func(sshd *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
		if len(methods) == 0 || !slices.Contains(sshd.AllowedMethods, "publickey") {
			return nil, nil
		}
		next := methods[0]
		methods = methods[1:]
		return next, nil
	}
}

// agentKeys are the agent's keys, for the attempt that runs.
func (l *login) agentKeys(ctx context.Context) ([]ssh.Signer, error) {
	var keys []ssh.Signer
	l.agent, l.noAgent = dialAgent(ctx)
	if l.noAgent == nil {
		keys, l.noAgent = l.agent.signers()
	}
	l.offered = append(l.offered, keys...)
	if len(l.offered) == 0 && l.noAgent == nil {
		l.noAgent = fmt.Errorf("%w: it has no key; add one: ssh-add", ErrAgent)
	}
	return keys, l.noAgent
}

// connect makes one bounded attempt to log in, through the hop before or, with nil, directly.
func (l *login) connect(ctx context.Context, via *ssh.Client) (*watchedConn, *ssh.Client, error) {
	l.banner, l.agent, l.noAgent, l.offered = "", nil, nil, slices.Clone(l.keys)
	raw, err := dialThrough(ctx, via, l.target.endpoint())
	if err != nil {
		return nil, nil, err
	}
	patient, cancel := context.WithTimeout(ctx, agentTimeout)
	defer cancel()
	config := *l.config
	config.AuthCallback = l.offer(patient)
	conn, client, err := handshake(ctx, raw, l.target.endpoint(), &config)
	if l.agent != nil {
		if l.noAgent == nil {
			l.noAgent = l.agent.trouble("it did not sign")
		}
		l.agent.close()
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
	case l.noAgent != nil: // It is asked last, so the attempt ended with it.
		return fmt.Errorf("%s: %w", l.target, l.noAgent)
	}
	return explain(l.target, l.pin, l.setting, l.offered, l.banner, err)
}

// handshake exchanges keys and logs in, bounded. It closes raw unless it succeeds. A connection
// through a jump host knows no deadline, so it is the end of the connection that ends a handshake.
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
