// Package ocikms stands in for the seal of the same name, which the lab has no use for and which
// takes long to compile.
package ocikms

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names that Vault reads the seal's settings from.
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

// Wrapper cannot be configured, so nothing else of it is ever called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns one.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig refuses.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal ocikms")
}
