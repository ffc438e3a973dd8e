package remote

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"strata/internal/ssh/silence"
)

// The pauses and limits of one connection. A booting host first does not answer, then refuses
// connections, then answers. The pauses are short, so that an answer is noticed almost at once.
const (
	// retryInterval is the pause after a failed attempt. It is longer than refusedInterval, because
	// an attempt may have cost a booting host a process and a key exchange.
	retryInterval = 100 * time.Millisecond
	// refusedInterval is the pause after a refused connection, which is the last step before an
	// answer. An attempt costs one packet each way and starts nothing on the host, so 40 a second
	// are no load on either side.
	refusedInterval = 25 * time.Millisecond
	// connectTimeout bounds the TCP handshake. It allows for two lost packets: TCP sends the first
	// one again after 1 s, and the second after 3 s.
	connectTimeout = 4 * time.Second
	// handshakeTimeout bounds the key exchange, for a port that accepts a connection and then sends
	// nothing. sshd on a busy, booting host needs a second or two.
	handshakeTimeout = 10 * time.Second
	// loginTimeout bounds the login after the key exchange, in which sshd may ask a slow directory
	// for the user's keys. It is as long as deadAfter.
	loginTimeout = time.Minute
	// rejectGrace bounds the time for which a host that was just booting may refuse the key, because
	// its users may not exist yet.
	rejectGrace = 10 * time.Second
	// closedTries is the number of closed logins in a row that count as sshd's refusal. Fewer may
	// mean that the host shuts down.
	closedTries = 3
	// agentGrace bounds how long an agent may not answer. An agent serves one request after the
	// other. It may be waiting until a user touches a hardware key or answers a prompt of another
	// login.
	agentGrace = 30 * time.Second
)

// ErrKeyRejected reports that the host's sshd does not accept the private key for the user. Waiting
// does not help.
var ErrKeyRejected = errors.New("private key not accepted")

// Dialer connects and logs in with private keys.
type Dialer struct {
	// PrivateKey holds one or several PEM private keys without passphrases (JoinKeyrings), and
	// optionally sudo passwords (SudoPassword). Each key is offered to the host and its jump hosts,
	// unless it is restricted to other hosts. Empty if the target's Agent has the keys.
	PrivateKey []byte
	// Notify is called with the error of a failed attempt, before the next one. Optional.
	Notify func(error)
}

// Dial connects with PEM private keys; see Dialer.Dial.
func Dial(ctx context.Context, t Target, privateKey []byte) (*Client, error) {
	return Dialer{PrivateKey: privateKey}.Dial(ctx, t)
}

// Dial connects and logs in, through the target's jump hosts. While the host may be booting, it
// retries until ctx ends: after no answer, a refusal, a reset or a missing banner. It fails at once
// if the host key is not the pinned one (HostKeyError), and if a running host does not accept the
// key (ErrKeyRejected). It also fails at once on errors that no wait resolves: ErrLogin, ErrAgent,
// ErrForwarding, ErrSudoPassword, and a ProxyError of a missing program. If the agent does not
// answer for half a minute, it fails with ErrAgent.
func (d Dialer) Dial(ctx context.Context, t Target) (*Client, error) {
	keys, err := parseAccess(d.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("private key for %s: %w", t, err)
	}
	client, err := d.login(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	client.sudo = keys.sudoFor(t)
	if err := client.checkSudo(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// login connects and logs in as Dial does, but does not check sudo.
func (d Dialer) login(ctx context.Context, t Target, keys access) (*Client, error) {
	signers := keys.signersFor(t)
	last, err := newLogin(t, signers)
	if err != nil {
		return nil, err
	}
	to, err := newWay(t, signers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	var client *Client
	err = retry(ctx, t, d.Notify, func() error {
		conn, connected, err := to.reach(ctx, last)
		if err == nil {
			client = newClient(t, conn, connected)
		}
		return err
	})
	if err != nil {
		to.close()
	}
	return client, err
}

// retry calls attempt until it succeeds, no retry can succeed, or ctx ends. If ctx ends, the error
// contains that of the last complete attempt.
func retry(ctx context.Context, t Target, notify func(error), attempt func() error) error {
	start := time.Now()
	var last error
	var patience patience
	for {
		err := attempt()
		if err == nil {
			return nil
		}
		if hasEnded(ctx) {
			if last == nil {
				// ctx has cut this attempt short, so its error says less than the error of the last
				// complete attempt.
				last = err
			}
			return fmt.Errorf("%s not reachable over SSH after %s: %w (%w)", t,
				time.Since(start).Round(time.Millisecond),
				last, silence.Err(ctx))
		}
		last = err
		if patience.isExhausted(err, time.Now()) {
			return err
		}
		if notify != nil {
			notify(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause(err)):
		}
	}
}

// hasEnded reports whether ctx has ended. It also compares the deadline, because the timer may fire
// late on a busy machine. An attempt that the deadline cut short must not count as complete.
func hasEnded(ctx context.Context) bool {
	if deadline, bounded := ctx.Deadline(); bounded && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// retryPause returns the pause after an attempt that failed with err.
func retryPause(err error) time.Duration {
	var ended *ProxyError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return refusedInterval
	case errors.As(err, &ended):
		return proxyInterval
	}
	return retryInterval
}

// patience tracks for how long attempts have failed for reasons that may pass by themselves.
type patience struct {
	// booting is the time of the last attempt that failed like one to a booting host; zero if there
	// was none.
	booting time.Time
	// silent is the time of the first attempt in a row in which the agent did not answer; zero if
	// the last attempt got an answer or did not use the agent.
	silent time.Time
	// closed is the number of attempts in a row after which sshd took a key and closed the
	// connection.
	closed int
}

// isExhausted reports whether retry must stop after an attempt that failed with err.
func (p *patience) isExhausted(err error, now time.Time) bool {
	if errors.Is(err, errAgentSilent) {
		if p.silent.IsZero() {
			p.silent = now
		}
		return now.Sub(p.silent) > agentGrace
	}
	p.silent = time.Time{}
	if !errors.Is(err, errClosed) {
		p.closed = 0
	} else if p.closed++; p.closed < closedTries {
		return false
	}
	if errors.Is(err, ErrKeyRejected) || errors.Is(err, ErrLogin) {
		return now.Sub(p.booting) > rejectGrace
	}
	p.booting = now
	return isFinal(err)
}

// isFinal reports whether no retry can succeed.
func isFinal(err error) bool {
	var wrongKey *HostKeyError
	var proxy *ProxyError
	return errors.As(err, &wrongKey) || errors.Is(err, ErrAgent) || errors.Is(err, ErrForwarding) ||
		errors.As(err, &proxy) && proxy.Missing
}
