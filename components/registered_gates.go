package components

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
)

// RegisteredGates collects the gates of a program as it registers them, one after the other.
type RegisteredGates struct {
	// Specs are the gates' Specs as the configuration makes them, without values that an update
	// finds (host keys, digests of outputs).
	Specs []health.Spec
	// Gates are the resources of the Specs, in the same order.
	Gates []*Gate
}

// registeredGatesKey is the key of a *RegisteredGates in a context.
type registeredGatesKey struct{}

// AttachTo returns the context of a running program. r collects the gates that the program
// registers with it.
func (r *RegisteredGates) AttachTo(ctx *pulumi.Context) *pulumi.Context {
	return ctx.WithValue(registeredGatesKey{}, r)
}

// NewContext returns a context for programs that are registered but not run. r collects their
// gates.
func (r *RegisteredGates) NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, registeredGatesKey{}, r)
}
