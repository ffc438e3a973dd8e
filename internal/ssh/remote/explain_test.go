package remote

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDialErrorDistinguishesSilenceBeforeAndAfterConnect(t *testing.T) {
	silence := func(during string) error {
		return plainDialError(fmt.Errorf("ssh: %w",
			&net.OpError{Op: during, Net: "tcp", Err: os.ErrDeadlineExceeded}))
	}
	assert.EqualError(t, silence("dial"),
		"no answer: the host is down, or a firewall drops the connection")
	assert.EqualError(t, silence("read"),
		"connection accepted, then no answer: sshd hangs, or the whole host does")
}

// late is a context whose deadline has passed. A busy machine has not run its timer yet.
type late struct {
	context.Context
	deadline time.Time
}

func (l late) Deadline() (time.Time, bool) { return l.deadline, true }

func TestDialErrorAtDeadlineNamesLastCompleteAttempt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	attempts := 0
	err := retry(late{ctx, time.Now().Add(10 * time.Millisecond)}, Target{Name: "gone"}, nil,
		func() error {
			if attempts++; attempts == 1 {
				return plainDialError(syscall.ECONNREFUSED)
			}
			time.AfterFunc(20*time.Millisecond, cancel) // the timer runs, late
			return plainDialError(&net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded})
		})
	require.ErrorContains(t, err, "connection refused: sshd is not listening")
	assert.NotContains(t, err.Error(), "no answer")
}
