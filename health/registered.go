package health

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Registered collects the gates of a program as it registers them, one after the other.
type Registered struct {
	// Specs are as the configuration makes them, without an update's findings (host keys, digests
	// of outputs).
	Specs []Spec
	// Gates are their resources, in the same order.
	Gates []*Gate
}

// registeredKey is the key of a *Registered in a context.
type registeredKey struct{}

// AttachTo returns the context of a program that runs, whose gates r collects.
func (r *Registered) AttachTo(ctx *pulumi.Context) *pulumi.Context {
	return ctx.WithValue(registeredKey{}, r)
}

// In returns a context for programs that are only registered, whose gates r collects.
func (r *Registered) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, registeredKey{}, r)
}
