// Package awskms is a stub of the seal awskms. The lab does not use it, and it takes long to
// compile.
package awskms

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"
	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names of the environment variables and settings of the seal.
const (
	EnvVaultAwsKmsSealKeyId = "VAULT_AWSKMS_SEAL_KEY_ID"
	EnvAwsKmsWrapperKeyId   = "AWSKMS_WRAPPER_KEY_ID"
)

// Wrapper is a seal that cannot be configured, so none of its other methods is called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns a Wrapper.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig always fails.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal awskms")
}

// WithDisallowEnvVars returns no option.
func WithDisallowEnvVars(bool) wrapping.Option { return nil }

// WithLogger returns nil, which readers of options skip. Vault passes this option to its Shamir
// seal (vault/core.go).
func WithLogger(hclog.Logger) wrapping.Option { return nil }
