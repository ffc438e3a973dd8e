package remote

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"strata/internal/ssh/silence"
)

// The pauses and limits of one connection. A booting host is silent first, then refuses
// connections, then answers. Each step is noticed within about one pause, so that the gate after it
// adds next to no time.
const (
	// retryInterval is the pause after a failed attempt. Each attempt may have cost a booting host
	// a process and a key exchange.
	retryInterval = 100 * time.Millisecond
	// refusedInterval is the pause after a refused connection, which is the last step before an
	// answer. An attempt costs one packet each way and starts nothing on the host, so 40 a second
	// are no load on either side.
	refusedInterval = 25 * time.Millisecond
	// connectTimeout bounds the TCP handshake. A lost first packet is sent again after 1 s, a lost
	// second after 3 s.
	connectTimeout = 4 * time.Second
	// handshakeTimeout bounds key exchange and login, for a port that accepts and then is silent.
	// sshd on a busy, booting host needs a second or two.
	handshakeTimeout = 10 * time.Second
	// rejectGrace bounds the time in which a host that was just seen booting may refuse the key:
	// its users may not exist yet.
	rejectGrace = 10 * time.Second
	// agentGrace bounds an agent's silence after it was first found silent. An agent serves one
	// request after the other. It may wait until a user touches a hardware key, or answers a prompt
	// for another login.
	agentGrace = 30 * time.Second
)

// ErrKeyRejected reports that the host's sshd does not accept the private key for the user. Waiting
// does not help.
var ErrKeyRejected = errors.New("private key not accepted")

// Dialer makes connections with private keys.
type Dialer struct {
	// PrivateKey is the PEM private key, without a passphrase, or several of them (JoinKeyrings).
	// Each is offered at the host and at its jump hosts, unless it belongs to another host. The
	// text may also have a sudo password (SudoPassword). Empty if the target's Agent has the keys.
	PrivateKey []byte
	// Notify receives the reason of a failed attempt, before the next one. Optional.
	Notify func(error)
}

// Dial connects with a private key (PEM); see Dialer.Dial.
func Dial(ctx context.Context, t Target, privateKey []byte) (*Client, error) {
	return Dialer{PrivateKey: privateKey}.Dial(ctx, t)
}

// Dial connects and logs in, through the target's jump hosts. While a host may be booting, it tries
// again until ctx ends: after no answer, a refusal, a reset or a late banner. It fails at once on a
// host key other than the pin (HostKeyError), and on a key that a running host does not accept
// (ErrKeyRejected). It also fails at once on errors that no wait cures: ErrAgent, ErrForwarding,
// ErrSudoPassword, and a ProxyError of a missing program. An agent that does not answer becomes
// ErrAgent after half a minute.
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

// login connects and logs in.
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

// retry repeats attempt until it succeeds, cannot succeed, or ctx ends. If ctx ends, the error has
// the reason of the last complete attempt.
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
				// The end of ctx cut this attempt short. It explains less than the one before, if
				// there was one.
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

// hasEnded reports whether ctx has ended. It compares the deadline, because a busy machine's timer
// may end ctx later, and the error should say that nothing answered.
func hasEnded(ctx context.Context) bool {
	if deadline, bounded := ctx.Deadline(); bounded && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// retryPause returns the pause after an attempt that ended with err.
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

// patience tracks how long attempts have failed for causes that waiting may cure.
type patience struct {
	// booting is the time at which the host was last seen booting; zero if never.
	booting time.Time
	// silent is the time since which the agent does not answer; zero if it answers, or was not
	// used.
	silent time.Time
}

// isExhausted reports whether no attempt after the one that failed with err can succeed, or is
// likely to.
func (p *patience) isExhausted(err error, now time.Time) bool {
	if errors.Is(err, errAgentSilent) {
		if p.silent.IsZero() {
			p.silent = now
		}
		return now.Sub(p.silent) > agentGrace
	}
	p.silent = time.Time{}
	if errors.Is(err, ErrKeyRejected) {
		return now.Sub(p.booting) > rejectGrace
	}
	p.booting = now
	return isFinal(err)
}

// isFinal reports whether no later attempt can succeed.
func isFinal(err error) bool {
	var wrongKey *HostKeyError
	var proxy *ProxyError
	return errors.As(err, &wrongKey) || errors.Is(err, ErrAgent) || errors.Is(err, ErrForwarding) ||
		errors.As(err, &proxy) && proxy.Missing
}
