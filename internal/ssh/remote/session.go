package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"
)

// ErrNotRun reports that the login does not start the user's shell but another program. Waiting
// does not help.
var ErrNotRun = errors.New("the host did not run the script")

// beginWithin bounds the time until a script has started. sudo on a loaded host may take long,
// because PAM adds delays.
const beginWithin = time.Minute

// run is a job that is being executed.
type run struct {
	job
	client         *Client
	mark           string
	stages         []stage
	stdout, stderr *marked
}

// stage is one of the shells that are started in turn before the script: first the login user's,
// then root's.
type stage struct {
	// ahead is sent before the line that makes the shell execute text, for example sudo's password.
	ahead string
	// text holds the commands that the shell executes.
	text string
}

// stages returns the shells that a job needs, in order.
func (c *Client) stages(j job) []stage {
	root := stage{text: compound(bootstrap)}
	if j.unprivileged || c.target.loginUser() == "root" {
		return []stage{root}
	}
	become := "exec sudo -n -- " + shell
	if c.sudo != "" {
		become, root.ahead = "exec "+sudoWithPassword+shell, c.sudo+"\n"
	}
	return []stage{{text: compound(become)}, root}
}

// compound turns a script into one compound command. A shell parses such a command completely
// before it executes any of it. So a script that a lost connection cut off is not executed.
func compound(script string) string { return "{ :\n" + script + "\n}\n" }

// feed sends each shell its text once that shell has started. Then it sends the header, the script
// and the script's input. It keeps standard input open, because EOF kills the script. A program
// that is not the expected shell receives only the first line.
func (r *run) feed(ctx context.Context, stdin io.Writer) error {
	for _, s := range r.stages {
		if _, err := fmt.Fprintf(stdin, "%sstrata-begin %s %d\n", s.ahead, r.mark,
			len(s.text)); err != nil {
			return err
		}
		select {
		case <-r.stdout.begun:
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, err := io.WriteString(stdin, s.text); err != nil {
			return err
		}
	}
	script, seconds := compound(r.script), 0
	if deadline, ok := ctx.Deadline(); ok {
		// This is more than the remaining time, so the host's own limit only matters if the
		// connection is lost.
		seconds = int(time.Until(deadline).Seconds()) + 2
	}
	if _, err := fmt.Fprintf(stdin, "%d %d %d\n%s", len(script), r.size, seconds,
		script); err != nil {
		return err
	}
	_, err := io.CopyN(stdin, untilDone{ctx: ctx, Reader: r.stdin}, r.size)
	return err
}

// untilDone is a reader that fails once its context has ended.
type untilDone struct {
	io.Reader
	ctx context.Context
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// outcome returns the exit code or error of a script. An exit code counts only if it came with the
// script's end mark.
func (r *run) outcome(err error, fed <-chan error) (int, error) {
	var exit *ssh.ExitError
	switch {
	case r.stdout.code >= 0:
		return r.stdout.code, nil
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
		return fmt.Errorf("script on %s broke off: its shell ended with exit code %d before it; "+
			"it was killed, or the host goes down", target, code)
	case len(r.stages):
		return fmt.Errorf("%w: the login of user %s on %s ended with exit code %d%s; "+
			"take away what answers there (a forced command, a nologin shell, an expired password), "+
			"or log in as another user", ErrNotRun, user, target, code,
			r.hostWords())
	}
	return r.client.sudoRefused(code, r.noise())
}

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
