package health

import (
	"context"
)

// Registered collects the gates of a program that is only registered: their Specs as the configuration makes them, in the program's
// order and without what an up finds out (host keys, digests of outputs).
type Registered struct{ Specs []Spec }

// registeredKey is the key of a *Registered in a context.
type registeredKey struct{}

// In is a context whose programs are collected. A program registers its gates one after the other.
func (r *Registered) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, registeredKey{}, r)
}
