package remote

import (
	"context"
	"io"
	"sync/atomic"
)

const (
	// chunk is the number of bytes that the host acknowledges at once.
	chunk = 256 << 10
	// ahead bounds the bytes that are sent but not acknowledged. It is less than sshd's window of 2
	// MiB. sshd keeps the unread input of a command in one buffer, and for each packet it enlarges
	// and copies that buffer (sshbuf_allocate in OpenSSH's sshbuf.c). With a full window, this
	// would cost a slow host seconds of processor time for each file.
	ahead = 2 * chunk
)

// paced passes input to a script, but never more than ahead bytes beyond what the script has read.
// It is also the script's standard output, in which each byte acknowledges a chunk.
type paced struct {
	from io.Reader
	ctx  context.Context // reads fail when it ends
	sent int64

	taken atomic.Int64
	more  chan struct{}
}

func newPaced(ctx context.Context, from io.Reader) *paced {
	return &paced{from: from, ctx: ctx, more: make(chan struct{}, 1)}
}

func (p *paced) Read(b []byte) (int, error) {
	for p.room() <= 0 {
		select {
		case <-p.more:
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
	n, err := p.from.Read(b[:min(int64(len(b)), p.room())])
	p.sent += int64(n)
	return n, err
}

func (p *paced) room() int64 { return ahead - (p.sent - p.taken.Load()) }

func (p *paced) Write(b []byte) (int, error) {
	p.taken.Add(int64(len(b)) * chunk)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return len(b), nil
}
