// Package gcpckms is a stub of the seal gcpckms. The lab does not use it, and it takes long to
// compile.
package gcpckms

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names of the environment variables and settings of the seal.
const (
	EnvGcpCkmsWrapperCredsPath   = "GOOGLE_CREDENTIALS"
	EnvGcpCkmsWrapperProject     = "GOOGLE_PROJECT"
	EnvGcpCkmsWrapperLocation    = "GOOGLE_REGION"
	EnvGcpCkmsWrapperKeyRing     = "GCPCKMS_WRAPPER_KEY_RING"
	EnvVaultGcpCkmsSealKeyRing   = "VAULT_GCPCKMS_SEAL_KEY_RING"
	EnvGcpCkmsWrapperCryptoKey   = "GCPCKMS_WRAPPER_CRYPTO_KEY"
	EnvVaultGcpCkmsSealCryptoKey = "VAULT_GCPCKMS_SEAL_CRYPTO_KEY"
)

// Wrapper is a seal that cannot be configured, so none of its other methods is called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns a Wrapper.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig always fails.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal gcpckms")
}
