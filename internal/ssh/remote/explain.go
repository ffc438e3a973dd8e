package remote

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// ErrLogin reports that the user cannot log in at sshd with any key. Waiting does not help.
var ErrLogin = errors.New("sshd does not accept Strata's login")

// errClosed marks an ErrLogin that may be a shutdown of the host: sshd took a key and closed the
// connection.
var errClosed = errors.New("closed the connection")

// answeredError marks the error of a host whose sshd has answered.
type answeredError struct{ error }

func (e *answeredError) Unwrap() error { return e.error }

// HasAnswered reports whether the host's sshd had answered before an error. If so, the host is on, and
// its address and port are right.
func HasAnswered(err error) bool {
	var answered *answeredError
	return errors.As(err, &answered)
}

// explain returns an attempt's error in terms that an operator understands.
func (l *login) explain(err error) error {
	if err = l.explainAttempt(err); err != nil && (l.answered.Load() || errors.Is(err, ErrLogin)) {
		return &answeredError{err}
	}
	return err
}

func (l *login) explainAttempt(err error) error {
	var noCommon *ssh.AlgorithmNegotiationError
	user := l.target.loginUser()
	switch {
	case err == nil:
		return nil
	case l.pins == nil && !errors.As(err, &noCommon): // a scan has no pins
		return plainDialError(err)
	case l.noAgent != nil: // the agent's keys come last, so its error ended the attempt
		return fmt.Errorf("%s: %w", l.target, l.noAgent)
	case errors.As(err, &noCommon) && (l.pins == nil || noCommon.What != "host key"):
		return fmt.Errorf("%w: sshd of %s has no %s that Strata has, only %s; allow one of these in "+
			"its sshd_config: %s", ErrLogin, l.target, noCommon.What,
			strings.Join(noCommon.RequestedAlgorithms, ", "),
			strings.Join(noCommon.SupportedAlgorithms, ", "))
	case l.signed && isUnanswered(err) && !errors.Is(err, os.ErrDeadlineExceeded) &&
		(l.banner == "" || strings.Contains(l.banner, "expired")):
		return fmt.Errorf("%w: sshd of %s took a key of user %s and %w: %s; see sshd's log there",
			ErrLogin, l.target, user, errClosed, cmp.Or(oneLine(l.banner),
				"the account has expired, or PAM does not let it in (pam_access, sssd)"))
	}
	return l.explainAsked(explain(l.target, l.pins, l.offered, l.banner, err))
}

// explainAsked returns an error with the methods that sshd requires, if sshd has accepted a key
// before, or takes no keys. It returns other errors unchanged.
func (l *login) explainAsked(err error) error {
	asked, user := strings.Join(l.asked, ", "), l.target.loginUser()
	switch takesKeys := slices.Contains(l.asked, "publickey"); {
	case !errors.Is(err, ErrKeyRejected) || takesKeys && l.accepted == 0:
		return err
	case takesKeys:
		return fmt.Errorf("%w: sshd of %s took %d of %s for user %s and asks for %s besides "+
			"(AuthenticationMethods); name the next key as well", ErrKeyRejected, l.target,
			l.accepted, fingerprints(l.offered), user, asked)
	}
	return fmt.Errorf("%w: sshd of %s asks user %s for %s after %d accepted keys; let it ask for keys "+
		"only (AuthenticationMethods, PubkeyAuthentication)", ErrLogin, l.target, user, asked,
		l.accepted)
}

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
