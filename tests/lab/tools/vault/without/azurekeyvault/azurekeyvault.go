// Package azurekeyvault is a stub of the seal azurekeyvault. The lab does not use it, and it takes
// long to compile.
package azurekeyvault

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names of the environment variables and settings of the seal.
const (
	EnvAzureKeyVaultWrapperVaultName = "AZUREKEYVAULT_WRAPPER_VAULT_NAME"
	EnvVaultAzureKeyVaultVaultName   = "VAULT_AZUREKEYVAULT_VAULT_NAME"
	EnvAzureKeyVaultWrapperKeyName   = "AZUREKEYVAULT_WRAPPER_KEY_NAME"
	EnvVaultAzureKeyVaultKeyName     = "VAULT_AZUREKEYVAULT_KEY_NAME"
)

// Wrapper is a seal that cannot be configured, so none of its other methods is called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns a Wrapper.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig always fails.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal azurekeyvault")
}

// WithDisallowEnvVars returns no option.
func WithDisallowEnvVars(bool) wrapping.Option { return nil }
