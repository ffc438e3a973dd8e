// Package challenge is a stub that has only the interface for solving an ACME challenge.
package challenge

import "context"

// Provider solves a challenge.
type Provider interface {
	Present(ctx context.Context, domain, token, keyAuth string) error
	CleanUp(ctx context.Context, domain, token, keyAuth string) error
}
