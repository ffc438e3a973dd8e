// Package certificate is a stub of the requests for certificates to an ACME server.
package certificate

import (
	"context"
	"errors"

	"github.com/go-acme/lego/v5/certcrypto"
)

var errNone = errors.New("the lab's Traefik has no ACME: certificates come from cert-manager")

// Resource is a certificate and its key.
type Resource struct {
	ID                      string
	Domains                 []string
	PrivateKey, Certificate []byte
}

// ObtainRequest describes the certificate to obtain.
type ObtainRequest struct {
	Domains, EmailAddresses  []string
	Bundle, EnableCommonName bool
	Profile, PreferredChain  string
	KeyType                  certcrypto.KeyType
}

// RenewOptions are the options of a renewal.
type RenewOptions struct {
	Bundle                  bool
	EmailAddresses          []string
	Profile, PreferredChain string
}

// Certifier always fails to obtain a certificate.
type Certifier struct{}

// Obtain always fails.
func (*Certifier) Obtain(context.Context, ObtainRequest) (*Resource, error) { return nil, errNone }

// Renew always fails.
func (*Certifier) Renew(context.Context, Resource, *RenewOptions) (*Resource, error) {
	return nil, errNone
}
