// Package certificate has the requests to an ACME server.
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

// RenewOptions say how to renew.
type RenewOptions struct {
	Bundle                  bool
	EmailAddresses          []string
	Profile, PreferredChain string
}

// Certifier obtains nothing.
type Certifier struct{}

// Obtain refuses.
func (*Certifier) Obtain(context.Context, ObtainRequest) (*Resource, error) { return nil, errNone }

// Renew refuses.
func (*Certifier) Renew(context.Context, Resource, *RenewOptions) (*Resource, error) {
	return nil, errNone
}
