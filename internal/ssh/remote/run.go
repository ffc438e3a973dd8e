package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"time"
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

// shell is the command line for the login shell and for sudo; everything else is sent by standard
// input. It contains only words and one pair of single quotes: no backslash, exclamation mark or
// slash. So sh, csh, fish and rbash parse it alike. It announces that it reads, and waits for a
// line "strata-begin MARK". It answers with another mark on each output stream, waits for a line
// "strata-text BYTES", and executes the next BYTES bytes of standard input. It drops all other
// lines, such as a password that sudo did not read, and a repeated begin line.
const shell = `sh -c 'echo strata-waits; ` +
	`while read -r word mark; do test "$word" = strata-begin && break; done; ` +
	`echo "strata-begins $mark err" >&2; echo "strata-begins $mark out"; ` +
	`while read -r word size; do test "$word" = strata-text && break; done; ` +
	`eval "$(head -c "$size")"'`

// stage is one of the shells that are started in turn before the script: first the login user's,
// then root's.
type stage struct {
	// ahead is the password for the sudo that starts the shell, with a newline; empty if none.
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
	become := "exec sudo -n -u root -- " + shell
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
// that is not the expected shell receives only begin lines.
func (r *run) feed(ctx context.Context, stdin io.Writer) error {
	for _, s := range r.stages {
		if err := r.begin(ctx, stdin, s.ahead); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(stdin, "strata-text %d\n%s", len(s.text), s.text); err != nil {
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

// begin sends the begin line until the next shell has answered: at once, and again when the shell
// announces itself. The program that started the shell may have read the first line. If sudo gets a
// password, the begin line follows only after the announcement: sudo-rs reads ahead.
func (r *run) begin(ctx context.Context, stdin io.Writer, ahead string) error {
	line := "strata-begin " + r.mark + "\n"
	next := cmp.Or(ahead, line)
	for {
		if _, err := io.WriteString(stdin, next); err != nil {
			return err
		}
		select {
		case step := <-r.stdout.steps:
			if step == begins {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		next = line
	}
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
