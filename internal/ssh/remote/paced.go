package remote

import (
	"context"
	"io"
	"sync/atomic"
)

const (
	// chunk is the number of bytes after which a host acknowledges them.
	chunk = 256 << 10
	// ahead bounds the unacknowledged bytes. It is less than sshd's window of 2 MiB. sshd keeps all
	// unread input of its command in one buffer. For each packet, it enlarges the buffer and copies
	// it as a whole (sshbuf_allocate in OpenSSH's sshbuf.c). With a full window, that costs a slow
	// host seconds of processor time for every file.
	ahead = 2 * chunk
)

// paced passes a script its input, and stays only a little ahead of the bytes that the script has
// read. It is also the script's standard output, where each byte acknowledges a chunk.
type paced struct {
	from io.Reader
	ctx  context.Context // Reads end with it.
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
