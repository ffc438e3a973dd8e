package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

// login holds the keys and the state of a login at one sshd, that of the host or of a jump host.
type login struct {
	target Target
	config *ssh.ClientConfig
	keys   []ssh.Signer
	pins   pins
	// offered are the keys that the last attempt has offered to sshd, with the results of that
	// attempt below.
	offered []ssh.Signer
	agent   *agentSession
	noAgent error
	banner  string
	// answered is true once sshd has shown its host key. signed is true once sshd has requested a
	// signature, and declined is the error of a key that did not sign.
	answered atomic.Bool
	signed   bool
	declined error
	// accepted is the number of keys that sshd accepted. asked are the authentication methods in
	// sshd's last reply.
	accepted int
	asked    []string
}

// newLogin prepares a login to a target with keys.
func newLogin(t Target, keys []ssh.Signer) (*login, error) {
	known, algorithms, err := parsePins(t)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && !t.asksAgent() {
		return nil, fmt.Errorf("private key for %s: %w", t, errNoKey)
	}
	l := &login{target: t, pins: known}
	if l.keys, err = t.addCertificates(keys); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	l.config = &ssh.ClientConfig{
		User:              t.loginUser(),
		HostKeyAlgorithms: algorithms,
		HostKeyCallback:   known.check(t),
		BannerCallback:    func(message string) error { l.banner = message; return nil },
	}
	return l, nil
}

// offer returns the callback that offers one key after the other to sshd. It continues after an
// accepted key, because sshd may require several. The agent's keys come last, because an agent may
// hang, or wait for the touch of a hardware key. Requests to the agent end with ctx.
func (l *login) offer(ctx context.Context) ssh.ClientAuthCallback {
	next, asked := 0, !l.target.asksAgent()
	return func(sshd *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
		l.accepted, l.asked = len(sshd.PartialSuccessMethods), sshd.AllowedMethods
		if !slices.Contains(sshd.AllowedMethods, "publickey") {
			return nil, nil
		}
		if next == len(l.offered) && !asked {
			asked = true
			if err := l.addAgentKeys(ctx); err != nil {
				return nil, err
			}
		}
		if next == len(l.offered) {
			return nil, nil
		}
		next++
		return ssh.PublicKeys(l.observe(l.offered[next-1])), nil
	}
}

// observed is a key whose signatures are recorded in the login.
type observed struct {
	ssh.AlgorithmSigner
	login *login
}

func (o observed) SignWithAlgorithm(
	rand io.Reader, data []byte, algorithm string,
) (*ssh.Signature, error) {
	o.login.signed, o.login.banner = true, "" // sshd's Banner says nothing about the account
	signature, err := o.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
	if err != nil {
		o.login.declined = fmt.Errorf("%s: %w", Fingerprint(o.PublicKey()), err)
	}
	return signature, err
}

// observe returns a key whose signatures are recorded.
func (l *login) observe(key ssh.Signer) ssh.Signer {
	if signer, ok := key.(ssh.AlgorithmSigner); ok {
		return observed{signer, l}
	}
	return key
}

// addAgentKeys appends the agent's keys to those that this attempt offers.
func (l *login) addAgentKeys(ctx context.Context) error {
	var keys []ssh.Signer
	l.agent, l.noAgent = dialAgent(ctx, l.target.AgentSocket)
	if l.noAgent == nil {
		keys, l.noAgent = l.agent.signers()
	}
	if l.noAgent == nil {
		keys, l.noAgent = l.target.addCertificates(l.target.selectKeys(keys))
	}
	// Do not offer a key twice: sshd counts each as a try.
	keys = slices.DeleteFunc(keys, func(key ssh.Signer) bool { return offers(l.offered, key) })
	l.offered = append(l.offered, keys...)
	if len(l.offered) == 0 && l.noAgent == nil {
		l.noAgent = fmt.Errorf("%w: it has no key, or with IdentitiesOnly none of the IdentityFiles, "+
			"or it is locked; add one: ssh-add, or unlock it: ssh-add -X", ErrAgent)
	}
	return l.noAgent
}

// offers reports whether keys contains key.
func offers(keys []ssh.Signer, key ssh.Signer) bool {
	return slices.ContainsFunc(keys, func(one ssh.Signer) bool {
		return bytes.Equal(one.PublicKey().Marshal(), key.PublicKey().Marshal())
	})
}

// connect makes one bounded attempt to log in, through via, which is the previous jump host. If via
// is nil, it connects directly.
func (l *login) connect(ctx context.Context, via *ssh.Client) (*watchedConn, *ssh.Client, error) {
	l.banner, l.agent, l.noAgent, l.offered = "", nil, nil, slices.Clone(l.keys)
	l.accepted, l.signed, l.declined = 0, false, nil
	l.answered.Store(false)
	raw, err := l.target.dial(ctx, via)
	if err != nil {
		return nil, nil, err
	}
	config := *l.config
	config.AuthCallback = l.offer(ctx)
	conn, client, err := l.handshake(ctx, raw, &config)
	if l.agent != nil {
		if l.noAgent == nil {
			l.noAgent = l.agent.trouble("it did not sign")
		}
		if l.noAgent == nil && l.declined != nil {
			l.noAgent = l.agent.explainRefusal(l.declined)
		}
		l.agent.close()
	}
	if command, ok := raw.(*proxy); ok && l.banner == "" && !l.signed && isUnanswered(err) {
		err = command.explain(err)
	}
	return conn, client, err
}

// isUnanswered reports whether a handshake failed without an error message of sshd.
func isUnanswered(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// handshake exchanges keys within handshakeTimeout, and logs in within loginTimeout after that. It
// closes raw if it fails. It has to close raw to interrupt a handshake, because a connection through
// a jump host has no deadlines.
func (l *login) handshake(
	ctx context.Context, raw net.Conn, config *ssh.ClientConfig,
) (*watchedConn, *ssh.Client, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(handshakeTimeout, cancel)
	defer late.Stop()
	check := config.HostKeyCallback
	config.HostKeyCallback = func(name string, address net.Addr, key ssh.PublicKey) error {
		l.answered.Store(true)
		late.Reset(loginTimeout)
		return check(name, address, key)
	}
	// By default x/crypto offers no group16 and no group exchange.
	config.KeyExchanges = append(ssh.SupportedAlgorithms().KeyExchanges,
		ssh.InsecureKeyExchangeDH14SHA1)
	conn := &watchedConn{Conn: raw}
	through, forwarded := raw.(*tunnel)
	stop := context.AfterFunc(ctx, func() {
		if forwarded {
			through.whole.Store(true) // The jump host may not answer any more.
		}
		_ = raw.Close()
	})
	sshConn, channels, requests, err := ssh.NewClientConn(conn, l.target.endpoint(), config)
	if !stop() {
		return nil, nil, os.ErrDeadlineExceeded
	}
	if err != nil {
		_ = raw.Close()
		return nil, nil, conn.explain(err)
	}
	if forwarded {
		through.whole.Store(true)
	}
	return conn, ssh.NewClient(sshConn, channels, requests), nil
}
