// Package gcpckms stands in for the seal of the same name, which the lab has no use for and which
// takes long to compile.
package gcpckms

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names that Vault reads the seal's settings from.
const (
	EnvGcpCkmsWrapperCredsPath   = "GOOGLE_CREDENTIALS"
	EnvGcpCkmsWrapperProject     = "GOOGLE_PROJECT"
	EnvGcpCkmsWrapperLocation    = "GOOGLE_REGION"
	EnvGcpCkmsWrapperKeyRing     = "GCPCKMS_WRAPPER_KEY_RING"
	EnvVaultGcpCkmsSealKeyRing   = "VAULT_GCPCKMS_SEAL_KEY_RING"
	EnvGcpCkmsWrapperCryptoKey   = "GCPCKMS_WRAPPER_CRYPTO_KEY"
	EnvVaultGcpCkmsSealCryptoKey = "VAULT_GCPCKMS_SEAL_CRYPTO_KEY"
)

// Wrapper cannot be configured, so nothing else of it is ever called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns one.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig refuses.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal gcpckms")
}
