package remote

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

// The waits of one connection. A booting host goes from silence over "refused" to an answer; each step is noticed within
// about one pause, so that the gate behind it adds next to nothing.
const (
	// retryInterval is the pause after an attempt that failed. Each may have cost a booting host a process and a key exchange.
	retryInterval = 100 * time.Millisecond
	// refusedInterval replaces it after a refused connection, the last step before an answer. It costs one packet each way and
	// starts nothing on the host, so that 40 a second are no load on either side.
	refusedInterval = 25 * time.Millisecond
	// connectTimeout bounds the TCP handshake. A lost first packet is sent again after 1 s, a lost second after 3 s.
	connectTimeout = 4 * time.Second
	// handshakeTimeout bounds key exchange and login, for a port that accepts and then says nothing. sshd on a busy,
	// booting host needs a second or two.
	handshakeTimeout = 10 * time.Second
	// rejectGrace is how long a host that was just seen booting may refuse the key: its users may not be there yet.
	rejectGrace = 10 * time.Second
)

// ErrKeyRejected says that the host's sshd does not accept the private key for the user. Waiting does not help.
var ErrKeyRejected = errors.New("private key not accepted")

// Dialer makes connections with one private key.
type Dialer struct {
	// PrivateKey is the PEM private key, without a passphrase, or several of them one after the other; each is offered.
	PrivateKey []byte
	// Notify is told why an attempt failed, before the next one. Optional.
	Notify func(error)
}

// Dial connects with a private key (PEM); see Dialer.Dial.
func Dial(ctx context.Context, t Target, privateKey []byte) (*Client, error) {
	return Dialer{PrivateKey: privateKey}.Dial(ctx, t)
}

// Dial connects and logs in, and tries again until ctx ends while the host may be booting: no answer, refused, reset, late
// banner. It gives up at once on a host key other than the pin (HostKeyError) and on a key that a running host does not
// accept (ErrKeyRejected).
func (d Dialer) Dial(ctx context.Context, t Target) (*Client, error) {
	signers, err := parseKeys(d.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("private key for %s: %w", t, err)
	}
	pin, algorithms, err := pinnedKey(t)
	if err != nil {
		return nil, err
	}
	banner := ""
	config := &ssh.ClientConfig{
		User:              t.loginUser(),
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyAlgorithms: algorithms,
		HostKeyCallback:   checkPin(t, pin),
		BannerCallback:    func(message string) error { banner = message; return nil },
	}
	var client *Client
	err = retry(ctx, t, d.Notify, func() error {
		banner = ""
		client, err = connect(ctx, t, config)
		return explain(t, pin, signers, banner, err)
	})
	return client, err
}

// parseKeys reads PEM private keys; one that occurs twice counts once, since sshd bounds the number of tries.
func parseKeys(text []byte) ([]ssh.Signer, error) {
	var signers []ssh.Signer
	seen := map[string]bool{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		// The parser's error names the format only, never the key.
		signer, err := ssh.ParsePrivateKey(pem.EncodeToMemory(block))
		if err != nil {
			return nil, fmt.Errorf("expected PEM without passphrase: %w", err)
		}
		if public := string(signer.PublicKey().Marshal()); !seen[public] {
			seen[public] = true
			signers = append(signers, signer)
		}
	}
	if len(signers) == 0 {
		return nil, errors.New("expected PEM, found none")
	}
	return signers, nil
}

// retry repeats attempt until it succeeds, cannot succeed, or ctx ends; then the error has the last attempt's reason.
func retry(ctx context.Context, t Target, notify func(error), attempt func() error) error {
	start, booting := time.Now(), time.Time{}
	var last error
	for {
		err := attempt()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			if last == nil {
				last = err // Otherwise the attempt that the end of ctx cut short says less than the one before.
			}
			return fmt.Errorf("%s not reachable over SSH after %s: %w (%w)", t, time.Since(start).Round(time.Millisecond),
				last, ctx.Err())
		}
		last = err
		rejected := errors.Is(err, ErrKeyRejected)
		if isFinal(err) || rejected && time.Since(booting) > rejectGrace {
			return err
		}
		if !rejected {
			booting = time.Now()
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

// retryPause is the pause after an attempt that ended with err.
func retryPause(err error) time.Duration {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return refusedInterval
	}
	return retryInterval
}

// isFinal reports whether no later attempt can succeed.
func isFinal(err error) bool {
	var wrongKey *HostKeyError
	return errors.As(err, &wrongKey)
}

// connect makes one bounded attempt.
func connect(ctx context.Context, t Target, config *ssh.ClientConfig) (*Client, error) {
	dialer := net.Dialer{Timeout: connectTimeout}
	raw, err := dialer.DialContext(ctx, "tcp", t.endpoint())
	if err != nil {
		return nil, err
	}
	conn := &watchedConn{Conn: raw}
	stop := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := raw.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	sshConn, channels, requests, err := ssh.NewClientConn(conn, t.endpoint(), config)
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	if err := raw.SetDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return newClient(t, conn, ssh.NewClient(sshConn, channels, requests)), nil
}
