package remote

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"strata/internal/silence"
)

// bootstrap is the only command that is ever executed: constant, so no secret can be in it.
//
//go:embed bootstrap.sh
var bootstrap string

// maxOutput bounds how much of a standard output Run keeps.
const maxOutput = 4 << 20

// ErrSudo says that the user may not become root without a password.
var ErrSudo = errors.New("sudo without a password does not work")

// Result holds the output and exit code of a script.
type Result struct {
	Stdout, Stderr []byte
	// Code is the exit code; -1 when the script did not end by itself.
	Code int
}

// ExitError is a script that ended with a code other than 0.
type ExitError struct {
	Target Target
	Code   int
	// Stderr is the end of what the script wrote there; the script itself may hold secrets and is
	// not shown.
	Stderr string
}

func (e *ExitError) Error() string {
	text := fmt.Sprintf("exit code %d on %s", e.Code, e.Target)
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Run executes a POSIX shell script as root, with stdin as its standard input, and waits for its
// end. The result is valid with an ExitError, too. When ctx ends, the script and everything in its
// process group is ended on the host.
func (c *Client) Run(ctx context.Context, script string, stdin []byte) (Result, error) {
	return c.RunFrom(ctx, script, bytes.NewReader(stdin), int64(len(stdin)))
}

// RunFrom is Run for an input of size bytes that need not fit into memory.
func (c *Client) RunFrom(ctx context.Context, script string, stdin io.Reader, size int64) (Result, error) {
	var stdout bytes.Buffer
	var stderr tail
	code, err := c.execute(ctx, job{
		script: script, stdin: stdin, size: size,
		stdout: &limited{to: &stdout, left: maxOutput}, stderr: &stderr,
	})
	result := Result{Stdout: stdout.Bytes(), Stderr: []byte(stderr.String()), Code: code}
	if err != nil {
		return result, err
	}
	return result, c.exitError(code, stderr.String())
}

// Stream is Run for a script that goes on: each line of its standard output is passed to line as it
// comes. One that is longer than 4 MiB ends the script.
func (c *Client) Stream(ctx context.Context, script string, stdin []byte, line func(string)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var stderr tail
	reader, writer := io.Pipe()
	scanned := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, maxOutput)
		for lines.Scan() {
			line(lines.Text())
		}
		if lines.Err() != nil {
			stop() // Its output is not read from here on.
		}
		_ = reader.CloseWithError(lines.Err())
		scanned <- lines.Err()
	}()
	code, err := c.execute(ctx, job{
		script: script, stdin: bytes.NewReader(stdin), size: int64(len(stdin)),
		stdout: writer, stderr: &stderr,
	})
	_ = writer.Close()
	if scanErr := <-scanned; scanErr != nil {
		return fmt.Errorf("output of a script on %s: %w", c.target, scanErr)
	}
	if err != nil {
		return err
	}
	return c.exitError(code, stderr.String())
}

// exitError turns an exit code into an error; 0 is none.
func (c *Client) exitError(code int, stderr string) error {
	output := strings.TrimSpace(stderr)
	if len(output) > 2000 {
		output = "…" + output[len(output)-2000:]
	}
	switch {
	case code == 0:
		return nil
	case c.target.loginUser() != "root" && strings.HasPrefix(output, "sudo:"):
		return fmt.Errorf("%w for user %s on %s: %s; allow it in /etc/sudoers.d: %s ALL=(ALL) NOPASSWD:ALL, or set strata:hosts.ssh.sudoPassword",
			ErrSudo, c.target.loginUser(), c.target, oneLine(output), c.target.loginUser())
	}
	return &ExitError{Target: c.target, Code: code, Stderr: output}
}

// job is one script with its streams.
type job struct {
	script         string
	stdin          io.Reader
	size           int64
	stdout, stderr io.Writer
}

// command returns the command that sshd starts; see bootstrap.sh.
func (c *Client) command() string {
	shell := func(script string) string { return "sh -c '" + script + "' strata" }
	switch {
	case c.target.loginUser() == "root":
		return shell(bootstrap)
	case c.sudo == "":
		return "sudo -n -- " + shell(bootstrap)
	}
	return withPassword(shell(passwordGoesBefore + bootstrap))
}

// execute runs a job to its end and returns its exit code.
func (c *Client) execute(ctx context.Context, j job) (int, error) {
	session, err := c.ssh.NewSession()
	if err != nil {
		return -1, c.lost(err)
	}
	defer func() { _ = session.Close() }() // Closed by the peer already when the script ended.
	session.Stdout, session.Stderr = j.stdout, j.stderr
	stdin, err := session.StdinPipe()
	if err != nil {
		return -1, fmt.Errorf("standard input on %s: %w", c.target, err)
	}
	if err := session.Start(c.command()); err != nil {
		return -1, c.lost(err)
	}
	fed := make(chan error, 1)
	go func() {
		if err := c.writePassword(stdin); err != nil {
			fed <- err
			return
		}
		fed <- feed(ctx, stdin, j)
	}()
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
		return c.exitCode(err, fed)
	case <-ctx.Done():
		return -1, c.cancel(ctx, stdin, session, fed, ended)
	}
}

// feed sends the header, the script and its input, and leaves standard input open: its end ends the
// script. The script is one compound command, which a shell reads to its end before it runs any of
// it: what arrives in part, from a connection that died, is not run.
func feed(ctx context.Context, stdin io.Writer, j job) error {
	script := "{ :\n" + j.script + "\n}\n"
	seconds := 0
	if deadline, ok := ctx.Deadline(); ok {
		// One more than is left: the caller ends it in time unless the connection is gone.
		seconds = int(time.Until(deadline).Seconds()) + 2
	}
	if _, err := fmt.Fprintf(stdin, "%d %d %d\n%s", len(script), j.size, seconds, script); err != nil {
		return err
	}
	_, err := io.CopyN(stdin, untilDone{ctx: ctx, Reader: j.stdin}, j.size)
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

// exitCode reads how a script ended.
func (c *Client) exitCode(err error, fed <-chan error) (int, error) {
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.Signal() != "":
		return -1, fmt.Errorf("script on %s was ended by signal %s", c.target, exit.Signal())
	case errors.As(err, &exit):
		return exit.ExitStatus(), nil
	}
	select {
	case feedErr := <-fed:
		if feedErr != nil && !errors.Is(feedErr, io.EOF) {
			err = errors.Join(err, feedErr)
		}
	default:
	}
	return -1, c.lost(err)
}

// killGrace bounds an ended script's cleaning up, and the way back of the news.
const killGrace = 4 * time.Second

// cancel ends a script by closing its standard input (see bootstrap.sh) and waits, bounded, until
// it is gone.
func (c *Client) cancel(ctx context.Context, stdin io.Closer, session *ssh.Session, fed, ended <-chan error) error {
	bound := time.After(killGrace)
	select {
	case <-fed:
		_ = stdin.Close() // A lost connection has ended it already.
	case <-ended:
	case <-bound:
		// The script does not read its input. x/crypto's stdin must not be closed while it is
		// written to.
	}
	select {
	case <-ended:
	case <-bound:
	}
	_ = session.Close() // Out of reach or ended; sshd closes what is left.
	return fmt.Errorf("script on %s: %w", c.target, silence.Err(ctx))
}

// limited drops what exceeds its limit, and says so once.
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
