// Package silence bounds work by the time without progress instead of by its total duration. So a
// slow host or connection may take long and succeed, and a dead one is given up.
package silence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Error reports that no data arrived for a time of Limit. It is a context.DeadlineExceeded.
type Error struct{ Limit time.Duration }

func (e *Error) Error() string { return fmt.Sprintf("nothing went through for %s", e.Limit) }

// Is implements errors.Is.
func (e *Error) Is(target error) bool { return target == context.DeadlineExceeded }

// bounded is a context that ends when Heard is not called in time.
type bounded struct {
	context.Context
	heard func()
}

type key struct{}

// Value implements context.Context.
func (b *bounded) Value(k any) any {
	if k == (key{}) {
		return b
	}
	return b.Context.Value(k)
}

// With returns a context that ends, with an Error as its cause, once Heard has not been called with
// that context for limit.
func With(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(parent)
	timer := time.AfterFunc(limit, func() { end(&Error{limit}) })
	return &bounded{ctx, func() { timer.Reset(limit) }}, func() {
		timer.Stop()
		end(nil)
	}
}

// Heard restarts the limit of the context that With returned. ctx may be derived from it. With any
// other ctx, Heard does nothing.
func Heard(ctx context.Context) {
	if b, ok := ctx.Value(key{}).(*bounded); ok {
		b.heard()
	}
}

// Reader returns a reader of r that calls Heard with ctx whenever something was read.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	return io.TeeReader(r, Meter(func(int) { Heard(ctx) }))
}

// Meter is a writer that is called with the number of bytes of each write, for io.TeeReader and
// io.MultiWriter.
type Meter func(n int)

// Write implements io.Writer.
func (m Meter) Write(p []byte) (int, error) {
	m(len(p))
	return len(p), nil
}

// Err returns the reason why ctx ended: an Error if there was no progress, otherwise ctx.Err.
func Err(ctx context.Context) error {
	if silent, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return silent
	}
	return ctx.Err()
}
