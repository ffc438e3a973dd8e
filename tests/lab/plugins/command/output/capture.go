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

// Capture collects one run of a command. Stdout and Stderr are the writers to
// hand to the process.
type Capture struct {
	Stdout io.Writer
	Stderr io.Writer

	out, err bytes.Buffer
	both     lockedBuffer
	log      *io.PipeWriter
	logged   chan struct{}
}

// Start returns a Capture that logs the streams that logging selects to the
// engine's status line of the resource in ctx.
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

// Close ends the log and waits until its last line is out.
func (c *Capture) Close() error {
	err := c.log.Close()
	<-c.logged
	return err
}

// Outputs returns both streams without their last newline.
func (c *Capture) Outputs() (stdout, stderr string) {
	return strings.TrimSuffix(c.out.String(), "\n"), strings.TrimSuffix(c.err.String(), "\n")
}

// Fail describes a command that ended with cause: the command and everything
// that it printed, as the official plugin words it.
func (c *Capture) Fail(cause error, command string) error {
	return fmt.Errorf("%w: running %q:\n%s", cause, command, c.both.String())
}

// logLines stops at a line over 64 KiB, like the official plugin: from then on the pipe is not read
// and the command blocks on its next write.
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
