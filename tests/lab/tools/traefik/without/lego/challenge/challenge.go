// Package challenge has the interface that solves an ACME server's challenge.
package challenge

import "context"

// Provider solves one.
type Provider interface {
	Present(ctx context.Context, domain, token, keyAuth string) error
	CleanUp(ctx context.Context, domain, token, keyAuth string) error
}
