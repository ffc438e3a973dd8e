package remote

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// explain returns the error of a failed attempt in terms that an operator understands. An error
// that a retry cannot resolve wraps one of this package's error values.
func explain(t Target, pin pins, logins []ssh.Signer, banner string, err error) error {
	if err == nil {
		return nil
	}
	var (
		wrongKey *HostKeyError
		noCommon *ssh.AlgorithmNegotiationError
		proxy    *ProxyError
	)
	switch {
	case errors.As(err, &proxy): // keep its text: it may be another ssh's
		return err
	case errors.As(err, &wrongKey):
		return wrongKey
	case errors.As(err, &noCommon) && noCommon.What == "host key":
		return &HostKeyError{Target: t, Want: pin.String(),
			Got: fmt.Sprintf("no %s key, only %s", pin[0].Type(),
				strings.Join(noCommon.RequestedAlgorithms, ", "))}
	case strings.Contains(err.Error(), "unable to authenticate"):
		// x/crypto has no typed error for this; TestRejectedKey… checks the message.
		return fmt.Errorf("%w: sshd of %s refused %s for user %s; put the public key into that user's authorized_keys",
			ErrKeyRejected, t, fingerprints(logins), t.loginUser())
	case strings.Contains(err.Error(), "Too many authentication failures"):
		return fmt.Errorf(
			"%w: %d keys were offered and sshd of %s stopped before the last (MaxAuthTries, by "+
				"default 6); name the file of the right one, or take others out of the agent",
			ErrKeyRejected, len(logins), t)
	case banner != "":
		// pam_nologin closes the connection of every user but root while the host boots, and says
		// so in the banner.
		return fmt.Errorf("sshd closed the connection: %s", oneLine(banner))
	}
	return plainDialError(err)
}

// fingerprints returns the fingerprints of keys, as a text.
func fingerprints(signers []ssh.Signer) string {
	keys := make([]ssh.PublicKey, len(signers))
	for i, signer := range signers {
		keys[i] = signer.PublicKey()
	}
	return joinFingerprints(keys, " and ")
}

// plainDialError returns the cause of a failed attempt, without the addresses, because the caller's
// message already names the Target.
func plainDialError(err error) error {
	var timeout net.Error
	var failed *net.OpError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("connection refused: sshd is not listening (%w)", syscall.ECONNREFUSED)
	case errors.Is(err, syscall.EHOSTUNREACH):
		return fmt.Errorf("no route to host: the host is down or not on this network (%w)",
			syscall.EHOSTUNREACH)
	case errors.As(err, &timeout) && timeout.Timeout():
		if errors.As(err, &failed) && failed.Op == "dial" {
			return errors.New("no answer: the host is down, or a firewall drops the connection")
		}
		return errors.New("connection accepted, then no answer: sshd hangs, or the whole host does")
	case strings.HasSuffix(err.Error(), "EOF"), errors.Is(err, syscall.ECONNRESET):
		return errors.New("connection accepted and closed: sshd is not ready")
	}
	return err
}

// oneLine joins the lines of a text, for an error message.
func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
