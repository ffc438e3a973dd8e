package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// clockKey is the context key of a program's time.
type clockKey struct{}

// WithTime returns a context in which the program uses now as the current time. Tests use it,
// because the renewal of certificates depends on the time.
func WithTime(ctx *pulumi.Context, now time.Time) *pulumi.Context {
	return ctx.WithValue(clockKey{}, now)
}

// now returns the time that WithTime set, or else the current time.
func now(ctx *pulumi.Context) time.Time {
	if at, set := ctx.Value(clockKey{}).(time.Time); set {
		return at
	}
	return time.Now()
}
