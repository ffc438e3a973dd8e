package components

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
)

// RegisteredGates collects the gates of a program as it registers them, one after the other.
type RegisteredGates struct {
	// Specs are as the configuration makes them, without an update's findings (host keys, digests
	// of outputs).
	Specs []health.Spec
	// Gates are their resources, in the same order.
	Gates []*Gate
}

// registeredGatesKey is the key of a *RegisteredGates in a context.
type registeredGatesKey struct{}

// AttachTo returns the context of a program that runs, whose gates r collects.
func (r *RegisteredGates) AttachTo(ctx *pulumi.Context) *pulumi.Context {
	return ctx.WithValue(registeredGatesKey{}, r)
}

// NewContext returns a context for programs that are only registered, whose gates r collects.
func (r *RegisteredGates) NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, registeredGatesKey{}, r)
}
