package components

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// clockKey finds a program's clock in its context.
type clockKey struct{}

// WithTime returns a context whose program uses this time. It is for tests: certificates and their
// renewals follow the clock.
func WithTime(ctx *pulumi.Context, now time.Time) *pulumi.Context {
	return ctx.WithValue(clockKey{}, now)
}

// now returns the program's time.
func now(ctx *pulumi.Context) time.Time {
	if at, set := ctx.Value(clockKey{}).(time.Time); set {
		return at
	}
	return time.Now()
}
