package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"strata/internal/ssh/silence"
)

// bootstrap runs a script on the host. It is itself sent by standard input.
//
//go:embed bootstrap.sh
var bootstrap string

// maxOutput bounds how many bytes of standard output Run keeps.
const maxOutput = 4 << 20

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

// Run connects to a host as Dial does, and runs one script there as Client.Run does.
func Run(ctx context.Context, t Target, key []byte, script string) (Result, error) {
	client, err := Dial(ctx, t, key)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = client.Close() }() // The script has exited.
	return client.Run(ctx, script, nil)
}

// Stream connects to a host as Dial does, and runs one script there as Client.Stream does.
func Stream(
	ctx context.Context, t Target, key []byte, script string, stdin []byte, line func(string),
) error {
	client, err := Dial(ctx, t, key)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // The script has exited.
	return client.Stream(ctx, script, stdin, line)
}

// Run executes a POSIX shell script as root, with stdin as its standard input, and waits until it
// exits. The result is also valid if the error is an ExitError. If ctx ends, the script and its
// process group are killed on the host.
func (c *Client) Run(ctx context.Context, script string, stdin []byte) (Result, error) {
	return c.RunFrom(ctx, script, bytes.NewReader(stdin), int64(len(stdin)))
}

// RunFrom is Run with an input of size bytes that is read from stdin, so that it need not fit into
// memory.
func (c *Client) RunFrom(
	ctx context.Context, script string, stdin io.Reader, size int64,
) (Result, error) {
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

// Stream is Run for a long-running script: it calls line with each line of standard output as it
// arrives. It kills the script after a line longer than 4 MiB.
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
			stop() // Nothing reads the output any more.
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

// exitError returns an ExitError; nil for code 0.
func (c *Client) exitError(code int, stderr string) error {
	if code == 0 {
		return nil
	}
	output := strings.TrimSpace(stderr)
	if len(output) > 2000 {
		output = "…" + output[len(output)-2000:]
	}
	return &ExitError{Target: c.target, Code: code, Stderr: output}
}

// job is a script with its input and output streams.
type job struct {
	script         string
	stdin          io.Reader
	size           int64
	stdout, stderr io.Writer
	// unprivileged runs the script as the login user.
	unprivileged bool
}

// execute runs a job and returns its exit code.
func (c *Client) execute(ctx context.Context, j job) (int, error) {
	session, err := c.ssh.NewSession()
	if err != nil {
		return -1, c.lostError(err)
	}
	defer func() { _ = session.Close() }() // The peer has closed it if the script has exited.
	stdin, err := session.StdinPipe()
	if err != nil {
		return -1, fmt.Errorf("standard input on %s: %w", c.target, err)
	}
	r := &run{client: c, job: j, mark: rand.Text(), stages: c.stages(j)}
	r.stdout = newMarked(r.mark, len(r.stages), j.stdout)
	r.stderr = newMarked(r.mark, len(r.stages), j.stderr)
	session.Stdout, session.Stderr = r.stdout, r.stderr
	if err := session.Start(shell); err != nil {
		return -1, c.lostError(err)
	}
	feeding, stop := context.WithCancel(ctx)
	defer stop()
	fed, ended := make(chan error, 1), make(chan error, 1)
	go func() { fed <- r.feed(feeding, stdin) }()
	go func() { ended <- session.Wait() }()
	late := time.NewTimer(c.beginWithin)
	defer late.Stop()
	for {
		select {
		case err = <-ended:
			return r.outcome(err, fed)
		case <-late.C:
			if r.stdout.left.Load() > 0 {
				return -1, fmt.Errorf("script on %s did not begin within %s%s", c.target,
					c.beginWithin, r.hostWords())
			}
		case <-ctx.Done():
			stop()
			cancel(stdin, session, fed, ended)
			return -1, fmt.Errorf("script on %s: %w%s", c.target, silence.Err(ctx), r.hostWords())
		}
	}
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
