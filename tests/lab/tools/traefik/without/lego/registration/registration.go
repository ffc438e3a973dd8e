// Package registration is a stub of the registration of an account at an ACME server.
package registration

import (
	"context"
	"errors"

	"github.com/go-acme/lego/v5/acme"
)

var errNone = errors.New("the lab's Traefik has no ACME: certificates come from cert-manager")

// RegisterOptions are the options of a registration.
type RegisterOptions struct{ TermsOfServiceAgreed bool }

// RegisterEABOptions are the options of a registration with external account binding.
type RegisterEABOptions struct {
	TermsOfServiceAgreed bool
	Kid, HmacEncoded     string
}

// Registrar always fails to register an account.
type Registrar struct{}

// Register always fails.
func (*Registrar) Register(context.Context, RegisterOptions) (*acme.ExtendedAccount, error) {
	return nil, errNone
}

// RegisterWithExternalAccountBinding always fails.
func (*Registrar) RegisterWithExternalAccountBinding(context.Context,
	RegisterEABOptions) (*acme.ExtendedAccount, error) {
	return nil, errNone
}
