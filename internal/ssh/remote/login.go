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
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// login is the state of a login at one sshd, the host's or a jump host's, with the keys for it.
type login struct {
	target Target
	config *ssh.ClientConfig
	keys   []ssh.Signer
	pins   pins
	// The keys that the last attempt offered, and its results.
	offered []ssh.Signer
	agent   *agentSession
	noAgent error
	banner  string
	// accepted counts the keys that sshd accepted. asked are the methods that sshd requested last.
	accepted int
	asked    []string
}

// newLogin returns the login to a target, with keys.
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

// offer returns one attempt's offer to sshd. It offers one key after the other, even after one that
// sshd accepted but that is not enough. The agent's keys come last, because an agent may hang, and
// a hardware key in it may need a touch. Requests to the agent end with ctx.
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
		return ssh.PublicKeys(l.offered[next-1]), nil
	}
}

// addAgentKeys adds the agent's keys to the offers of the running attempt.
func (l *login) addAgentKeys(ctx context.Context) error {
	var keys []ssh.Signer
	l.agent, l.noAgent = dialAgent(ctx, l.target.AgentSocket)
	if l.noAgent == nil {
		keys, l.noAgent = l.agent.signers()
	}
	if l.noAgent == nil {
		keys, l.noAgent = l.target.addCertificates(l.target.selectKeys(keys))
	}
	// Each key counts as a try.
	keys = slices.DeleteFunc(keys, func(key ssh.Signer) bool { return offers(l.offered, key) })
	l.offered = append(l.offered, keys...)
	if len(l.offered) == 0 && l.noAgent == nil {
		l.noAgent = fmt.Errorf("%w: it has no key, or with IdentitiesOnly none of the IdentityFiles; "+
			"add one: ssh-add", ErrAgent)
	}
	return l.noAgent
}

// offers reports whether a key is among others.
func offers(keys []ssh.Signer, key ssh.Signer) bool {
	return slices.ContainsFunc(keys, func(one ssh.Signer) bool {
		return bytes.Equal(one.PublicKey().Marshal(), key.PublicKey().Marshal())
	})
}

// connect makes one bounded attempt to log in, through the previous hop. If via is nil, it connects
// directly.
func (l *login) connect(ctx context.Context, via *ssh.Client) (*watchedConn, *ssh.Client, error) {
	l.banner, l.agent, l.noAgent, l.offered = "", nil, nil, slices.Clone(l.keys)
	l.accepted = 0
	raw, err := l.target.dial(ctx, via)
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
	if command, ok := raw.(*proxy); ok && l.banner == "" && isUnanswered(err) {
		err = command.explain(err)
	}
	return conn, client, err
}

// isUnanswered reports whether a handshake ended without a message of sshd about it.
func isUnanswered(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, os.ErrDeadlineExceeded)
}

// explain rewords an attempt's error for an operator.
func (l *login) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case l.pins == nil: // a first contact
		return plainDialError(err)
	case l.noAgent != nil: // The agent is asked last, so the attempt ended with its error.
		return fmt.Errorf("%s: %w", l.target, l.noAgent)
	}
	err = explain(l.target, l.pins, l.offered, l.banner, err)
	if l.accepted > 0 && errors.Is(err, ErrKeyRejected) {
		return fmt.Errorf("%w: sshd of %s took %d of %s for user %s and asks for %s besides (AuthenticationMethods); "+
			"name the next key as well", ErrKeyRejected, l.target, l.accepted,
			fingerprints(l.offered),
			l.target.loginUser(), strings.Join(l.asked, ", "))
	}
	return err
}

// handshake exchanges keys and logs in, within a limit. It closes raw unless it succeeds. A
// connection through a jump host supports no deadline, so closing it is the only way to end a
// handshake.
func handshake(
	ctx context.Context, raw net.Conn, endpoint string, config *ssh.ClientConfig,
) (*watchedConn, *ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn := &watchedConn{Conn: raw}
	through, forwarded := raw.(*tunnel)
	stop := context.AfterFunc(ctx, func() {
		if forwarded {
			through.whole.Store(true) // The jump host may have fallen silent.
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
