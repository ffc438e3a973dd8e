// Package ocikms is a stub of the seal ocikms. The lab does not use it, and it takes long to
// compile.
package ocikms

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names of the environment variables and settings of the seal.
const (
	EnvOciKmsWrapperKeyId                = "OCIKMS_WRAPPER_KEY_ID"
	EnvVaultOciKmsSealKeyId              = "VAULT_OCIKMS_SEAL_KEY_ID"
	EnvOciKmsWrapperCryptoEndpoint       = "OCIKMS_WRAPPER_CRYPTO_ENDPOINT"
	EnvVaultOciKmsSealCryptoEndpoint     = "VAULT_OCIKMS_CRYPTO_ENDPOINT"
	EnvOciKmsWrapperManagementEndpoint   = "OCIKMS_WRAPPER_MANAGEMENT_ENDPOINT"
	EnvVaultOciKmsSealManagementEndpoint = "VAULT_OCIKMS_MANAGEMENT_ENDPOINT"
	KmsConfigKeyId                       = "key_id"
	KmsConfigCryptoEndpoint              = "crypto_endpoint"
	KmsConfigManagementEndpoint          = "management_endpoint"
)

// Wrapper is a seal that cannot be configured, so none of its other methods is called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns a Wrapper.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig always fails.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal ocikms")
}
