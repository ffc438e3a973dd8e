package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"strata/internal/ssh/silence"
)

// ErrNotRun reports that the login does not start the user's shell but another program. Waiting
// does not help.
var ErrNotRun = errors.New("the host did not run the script")

// Result holds the output and exit code of a script.
type Result struct {
	Stdout, Stderr []byte
	// Code is the exit code; -1 if the script did not exit by itself.
	Code int
}

// ExitError reports that a script exited with a code other than 0.
type ExitError struct {
	Target Target
	Code   int
	// Stderr is the end of the script's standard error. The script itself is not shown, because it
	// may contain secrets.
	Stderr string
}

func (e *ExitError) Error() string {
	text := fmt.Sprintf("exit code %d on %s", e.Code, e.Target)
	if signal := unix.SignalName(unix.Signal(e.Code - 128)); signal != "" {
		text = fmt.Sprintf("exit code %d (%s) on %s", e.Code, signal, e.Target)
	}
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// wait waits until the session has ended, or its end makes no difference: after the end mark, or if
// the script cannot run. If the session has to be cancelled, finished is false.
func (r *run) wait(
	ctx context.Context, fed, ended <-chan error,
) (code int, finished bool, err error) {
	late := time.NewTimer(r.client.beginWithin)
	defer late.Stop()
	var grace <-chan time.Time
	for {
		select {
		case err = <-ended:
			code, err = r.outcome(err, fed)
			return code, true, err
		case <-grace: // a background process holds the session's output
			return int(r.stdout.code.Load()), true, nil
		case <-r.stdout.changed:
			if err := r.foreignError(); err != nil {
				return -1, false, err
			}
			if grace == nil && r.stdout.code.Load() >= 0 {
				grace = time.After(exitGrace)
			}
		case <-late.C:
			if r.stdout.left.Load() > 0 {
				return -1, false, fmt.Errorf("script on %s did not begin within %s%s",
					r.client.target, r.client.beginWithin, r.hostWords())
			}
		case <-ctx.Done():
			return -1, false, &answeredError{fmt.Errorf("script on %s: %w%s", r.client.target,
				silence.Err(ctx), r.hostWords())}
		}
	}
}

// exitGrace bounds the time from a script's end mark to the end of its session, in which the rest
// of standard error arrives.
const exitGrace = time.Second

// outcome returns the exit code or error of a script. An exit code counts only if it came with the
// script's end mark.
func (r *run) outcome(err error, fed <-chan error) (int, error) {
	var exit *ssh.ExitError
	foreign := r.foreignError()
	switch {
	case foreign != nil:
		return -1, foreign
	case r.stdout.code.Load() >= 0:
		return int(r.stdout.code.Load()), nil
	case err == nil:
		return -1, r.loginError(0)
	case errors.As(err, &exit) && exit.Signal() != "":
		return -1, fmt.Errorf("script on %s was ended by signal %s", r.client.target, exit.Signal())
	case exit != nil:
		return -1, r.loginError(exit.ExitStatus())
	}
	select {
	case feedErr := <-fed:
		if feedErr != nil && !errors.Is(feedErr, io.EOF) {
			err = errors.Join(err, feedErr)
		}
	default:
	}
	return -1, r.client.lostError(err)
}

// loginError returns the error for a login that exited with a code, but without the script's end
// mark.
func (r *run) loginError(code int) error {
	target, user := r.client.target, r.client.target.loginUser()
	switch int(r.stdout.left.Load()) {
	case 0:
		cause := "it was killed, or the host goes down"
		if words := lastWords(r.job.stderr.String()); words != "" {
			cause += ", or its last words say why: " + words
		}
		return fmt.Errorf("script on %s broke off: its shell ended with exit code %d before it; %s",
			target, code, cause)
	case len(r.stages):
		return fmt.Errorf("%w: the login of user %s on %s ended with exit code %d%s; "+
			"take away what answers there (a forced command, a nologin shell, an expired password), "+
			"or log in as another user", ErrNotRun, user, target, code,
			r.hostWords())
	}
	return r.client.sudoRefused(code, r.noise())
}

// foreignError returns the error for a login that starts another program than the shell, or joins
// the shell's output streams; nil if none is known.
func (r *run) foreignError() error {
	target, user := r.client.target, r.client.target.loginUser()
	switch {
	case r.stdout.joined.Load() || r.stderr.joined.Load():
		err := fmt.Errorf("the login of user %s on %s joins standard error and standard output "+
			"(such as exec 2>&1 in .bashrc); let it do so on terminals only", user, target)
		if r.stdout.left.Load() > 0 {
			err = fmt.Errorf("%w: %w", ErrNotRun, err)
		}
		return err
	case r.stdout.left.Load() == int64(len(r.stages)) &&
		readElsewhere.MatchString(r.stdout.noise.String()+r.stderr.noise.String()):
		return fmt.Errorf("%w: the login of user %s on %s starts another program than the shell "+
			"(such as exec in .bashrc, or a forced command)%s; let it do so on terminals only, or "+
			"log in as another user", ErrNotRun, user, target, r.hostWords())
	}
	return nil
}

// readElsewhere matches the output of another program that has read the begin line. A shell reports
// strata-begin as an unknown command, and other programs repeat the line. The text of the command
// line itself, which a wrapper may print, does not match.
var readElsewhere = regexp.MustCompile(
	`strata-begin:|: strata-begin(\s|$)|'strata-begin'|(?m:^strata-begin [A-Z2-7]{26}\r?$)`)

// noise returns the output before the next begin mark, on one line.
func (r *run) noise() string {
	text := oneLine(r.stdout.noise.String() + " " + r.stderr.noise.String())
	if len(text) > maxNoise {
		text = "…" + text[len(text)-maxNoise:]
	}
	return text
}

// maxNoise bounds the bytes of noise in an error message.
const maxNoise = 500

// hostWords returns the host's output as a suffix of an error message. It is empty if the script
// has started or there is no output.
func (r *run) hostWords() string {
	if noise := r.noise(); r.stdout.left.Load() > 0 && noise != "" {
		return "; the host says: " + noise
	}
	return ""
}

// exitError returns an ExitError; nil for code 0.
func (c *Client) exitError(code int, stderr string) error {
	if code == 0 {
		return nil
	}
	return &ExitError{Target: c.target, Code: code, Stderr: lastWords(stderr)}
}

// lastWords returns the end of a script's standard error.
func lastWords(stderr string) string {
	output := strings.TrimSpace(stderr)
	if len(output) > 2000 {
		output = "…" + output[len(output)-2000:]
	}
	return output
}

// limited drops the output beyond its limit, and adds a note once.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (w *limited) Write(p []byte) (int, error) {
	if keep := min(len(p), w.left); keep > 0 {
		w.to.Write(p[:keep])
		w.left -= keep
		if w.left == 0 {
			w.to.WriteString("\n… (more output left out)\n")
		}
	}
	return len(p), nil
}

// killGrace bounds the wait until a killed script has exited and its exit was reported.
const killGrace = 4 * time.Second

// cancel kills a script by closing its standard input (see bootstrap.sh). It waits until the script
// has exited, for at most killGrace.
func cancel(stdin io.Closer, session *ssh.Session, fed, ended <-chan error) {
	bound := time.After(killGrace)
	select {
	case <-fed:
		_ = stdin.Close() // It fails if the connection is lost.
	case <-ended:
	case <-bound:
		// The script does not read its input. x/crypto's stdin must not be closed during a write.
	}
	select {
	case <-ended:
	case <-bound:
	}
	_ = session.Close() // The script has exited or is unreachable; sshd closes the rest.
}
