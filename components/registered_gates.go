package components

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/health"
)

// RegisteredGates collects the gates that a program registers. It is not safe for programs that
// register gates concurrently.
type RegisteredGates struct {
	// Specs are the gates' Specs, without values that are outputs (host keys, digests of outputs).
	Specs []health.Spec
	// Gates are the gates, in the order of Specs.
	Gates []*Gate
}

// registeredGatesKey is the context key of a *RegisteredGates.
type registeredGatesKey struct{}

// AttachTo returns a copy of a Pulumi program's context that makes r collect the gates registered
// with it.
func (r *RegisteredGates) AttachTo(ctx *pulumi.Context) *pulumi.Context {
	return ctx.WithValue(registeredGatesKey{}, r)
}

// NewContext returns a context that makes r collect gates, for programs that run in package dryrun
// instead of under Pulumi.
func (r *RegisteredGates) NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, registeredGatesKey{}, r)
}
