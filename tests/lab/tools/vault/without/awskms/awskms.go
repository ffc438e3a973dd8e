// Package awskms stands in for the seal of the same name, which the lab has no use for and which
// takes long to compile.
package awskms

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"
	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names that Vault reads the seal's settings from.
const (
	EnvVaultAwsKmsSealKeyId = "VAULT_AWSKMS_SEAL_KEY_ID"
	EnvAwsKmsWrapperKeyId   = "AWSKMS_WRAPPER_KEY_ID"
)

// Wrapper cannot be configured, so nothing else of it is ever called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns one.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig refuses.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal awskms")
}

// WithDisallowEnvVars is an option of SetConfig.
func WithDisallowEnvVars(bool) wrapping.Option { return nil }

// WithLogger returns nil, which readers of options skip. Vault passes this option to its Shamir seal
// (vault/core.go).
func WithLogger(hclog.Logger) wrapping.Option { return nil }
