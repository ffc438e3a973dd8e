package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"time"

	"strata/internal/ssh/silence"
)

// bootstrap runs a script on the host. It is itself sent by standard input.
//
//go:embed bootstrap.sh
var bootstrap string

// maxOutput bounds how many bytes of standard output Run keeps.
const maxOutput = 4 << 20

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

// job is a script with its input and output streams.
type job struct {
	script string
	stdin  io.Reader
	size   int64
	stdout io.Writer
	stderr *tail
	// unprivileged runs the script as the login user.
	unprivileged bool
}

// execute runs a job and returns its exit code.
func (c *Client) execute(ctx context.Context, j job) (int, error) {
	session, err := c.openSession(ctx)
	if err != nil {
		return -1, err
	}
	defer func() { _ = session.Close() }() // The peer has closed it if the script has exited.
	stdin, err := session.StdinPipe()
	if err != nil {
		return -1, fmt.Errorf("standard input on %s: %w", c.target, err)
	}
	r := &run{client: c, job: j, mark: rand.Text(), stages: c.stages(j)}
	r.stdout = newMarked(r.mark, "out", "err", len(r.stages), j.stdout)
	r.stderr = newMarked(r.mark, "err", "out", len(r.stages), j.stderr)
	r.stderr.changed = r.stdout.changed
	session.Stdout, session.Stderr = r.stdout, r.stderr
	if err := session.Start(shell); err != nil {
		return -1, c.startError(err)
	}
	feeding, stop := context.WithCancel(ctx)
	defer stop()
	fed, ended := make(chan error, 1), make(chan error, 1)
	go func() { fed <- r.feed(feeding, stdin) }()
	go func() { ended <- session.Wait() }()
	code, finished, err := r.wait(ctx, fed, ended)
	if !finished {
		stop()
		cancel(stdin, session, fed, ended)
	}
	return code, err
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

// run is a job that is being executed.
type run struct {
	job
	client         *Client
	mark           string
	stages         []stage
	stdout, stderr *marked
}

// beginWithin bounds the time until a script has started. sudo on a loaded host may take long,
// because PAM adds delays.
const beginWithin = time.Minute
