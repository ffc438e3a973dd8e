package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"
)

// ErrNotRun reports that a program other than the user's shell answers the login. Waiting does not
// help.
var ErrNotRun = errors.New("the host did not run the script")

// beginWithin bounds the wait for a script to begin: sudo with PAM's delays, on a loaded host.
const beginWithin = time.Minute

// run is a job in progress.
type run struct {
	job
	client         *Client
	mark           string
	stages         []stage
	stdout, stderr *marked
}

// stage is one shell on the way to the script: the login user's, then root's.
type stage struct {
	// ahead is sent before the line that the shell answers.
	ahead string
	// text holds the commands for the shell.
	text string
}

// stages returns the shells that a job goes through.
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

// compound makes a script one compound command. A shell reads such a command to its end before it
// runs any of it. So a part of a script, from a connection that died, does not run.
func compound(script string) string { return "{ :\n" + script + "\n}\n" }

// feed sends each shell its text once the shell has begun. Then it sends the header, the script and
// its input. It leaves standard input open, because its end would end the script. A program other
// than a shell only gets the first line.
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
		// This is one second more than the remaining time. The caller ends the script in time
		// unless the connection is gone.
		seconds = int(time.Until(deadline).Seconds()) + 2
	}
	if _, err := fmt.Fprintf(stdin, "%d %d %d\n%s", len(script), r.size, seconds,
		script); err != nil {
		return err
	}
	_, err := io.CopyN(stdin, untilDone{ctx: ctx, Reader: r.stdin}, r.size)
	return err
}

// untilDone is a reader that ends with a context.
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

// outcome returns how a script ended. Only the script's own mark proves an end.
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

// loginError returns the error of a login that ended with an exit code and without the script's end
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

// noise returns the output before the next begin mark, in one line.
func (r *run) noise() string {
	text := oneLine(r.stdout.noise.String() + " " + r.stderr.noise.String())
	if len(text) > maxNoise {
		text = "…" + text[len(text)-maxNoise:]
	}
	return text
}

// maxNoise bounds the host's noise in an error message.
const maxNoise = 500

// hostWords returns a quote of the host's output for an error; empty if the script has begun or
// there is none.
func (r *run) hostWords() string {
	if noise := r.noise(); r.stdout.left.Load() > 0 && noise != "" {
		return "; the host says: " + noise
	}
	return ""
}
