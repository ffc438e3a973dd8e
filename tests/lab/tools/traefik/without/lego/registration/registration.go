// Package registration would register an account.
package registration

import (
	"context"
	"errors"

	"github.com/go-acme/lego/v5/acme"
)

var errNone = errors.New("the lab's Traefik has no ACME: certificates come from cert-manager")

// RegisterOptions are of an account.
type RegisterOptions struct{ TermsOfServiceAgreed bool }

// RegisterEABOptions are of an account that another system vouches for.
type RegisterEABOptions struct {
	TermsOfServiceAgreed bool
	Kid, HmacEncoded     string
}

// Registrar registers nothing.
type Registrar struct{}

// Register refuses.
func (*Registrar) Register(context.Context, RegisterOptions) (*acme.ExtendedAccount, error) {
	return nil, errNone
}

// RegisterWithExternalAccountBinding refuses.
func (*Registrar) RegisterWithExternalAccountBinding(context.Context,
	RegisterEABOptions) (*acme.ExtendedAccount, error) {
	return nil, errNone
}
