package output

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
)

// Capture collects the output of one command. Stdout and Stderr are the writers for the process.
type Capture struct {
	Stdout io.Writer
	Stderr io.Writer

	out, err bytes.Buffer
	both     lockedBuffer
	log      *io.PipeWriter
	logged   chan struct{}
}

// Start returns a Capture. The Capture logs the streams that logging selects to the status line of
// the resource in ctx.
func Start(ctx context.Context, logging *Logging) *Capture {
	reader, writer := io.Pipe()
	c := &Capture{log: writer, logged: make(chan struct{})}
	c.Stdout = c.stream(&c.out, logging.stdout())
	c.Stderr = c.stream(&c.err, logging.stderr())
	go func() {
		defer close(c.logged)
		logLines(ctx, reader)
	}()
	return c
}

func (c *Capture) stream(own *bytes.Buffer, logged bool) io.Writer {
	writers := []io.Writer{own, &c.both}
	if logged {
		writers = append(writers, c.log)
	}
	return io.MultiWriter(writers...)
}

// Close ends the log, and waits until its last line has been written.
func (c *Capture) Close() error {
	err := c.log.Close()
	<-c.logged
	return err
}

// Outputs returns both streams, without their last newline.
func (c *Capture) Outputs() (stdout, stderr string) {
	return strings.TrimSuffix(c.out.String(), "\n"), strings.TrimSuffix(c.err.String(), "\n")
}

// Fail returns the error for a command that failed with cause. As in the official plugin, it
// contains the command and both streams.
func (c *Capture) Fail(cause error, command string) error {
	return fmt.Errorf("%w: running %q:\n%s", cause, command, c.both.String())
}

// logLines logs each line until the pipe is closed. Like the official plugin, it stops at a line of
// more than 64 KiB. Then nothing reads the pipe, and the command blocks at its next write.
func logLines(ctx context.Context, from io.Reader) {
	logger := p.GetLogger(ctx)
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		logger.InfoStatus(lines.Text())
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
