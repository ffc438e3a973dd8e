// Package silence bounds work by how long nothing is heard of it, and not by its duration: a slow
// host or line takes long and arrives, and a dead one is given up.
package silence

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Error says that nothing went through for a while. It is a context.DeadlineExceeded.
type Error struct{ Limit time.Duration }

func (e *Error) Error() string { return fmt.Sprintf("nothing went through for %s", e.Limit) }

// Is implements errors.Is.
func (e *Error) Is(target error) bool { return target == context.DeadlineExceeded }

// bounded is a context that ends in silence.
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

// With returns a context that ends, by an Error as its cause, when Heard was not called with it for
// limit.
func With(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(parent)
	timer := time.AfterFunc(limit, func() { end(&Error{limit}) })
	return &bounded{ctx, func() { timer.Reset(limit) }}, func() {
		timer.Stop()
		end(nil)
	}
}

// Heard starts the limit anew of the context of With that ctx is or derives from. With any other
// ctx it does nothing.
func Heard(ctx context.Context) {
	if b, ok := ctx.Value(key{}).(*bounded); ok {
		b.heard()
	}
}

// Err returns why ctx ended: the Error of a silence, or else ctx.Err.
func Err(ctx context.Context) error {
	if silent, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return silent
	}
	return ctx.Err()
}
