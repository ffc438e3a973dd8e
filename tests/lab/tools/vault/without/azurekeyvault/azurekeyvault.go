// Package azurekeyvault stands in for the seal of the same name, which the lab has no use for and
// which takes long to compile.
package azurekeyvault

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names that Vault reads the seal's settings from.
const (
	EnvAzureKeyVaultWrapperVaultName = "AZUREKEYVAULT_WRAPPER_VAULT_NAME"
	EnvVaultAzureKeyVaultVaultName   = "VAULT_AZUREKEYVAULT_VAULT_NAME"
	EnvAzureKeyVaultWrapperKeyName   = "AZUREKEYVAULT_WRAPPER_KEY_NAME"
	EnvVaultAzureKeyVaultKeyName     = "VAULT_AZUREKEYVAULT_KEY_NAME"
)

// Wrapper cannot be configured, so nothing else of it is ever called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns one.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig refuses.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal azurekeyvault")
}

// WithDisallowEnvVars is an option of SetConfig.
func WithDisallowEnvVars(bool) wrapping.Option { return nil }
