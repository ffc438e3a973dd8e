// Package alicloudkms stands in for the seal of the same name, which the lab has no use for and
// which takes long to compile.
package alicloudkms

import (
	"context"
	"errors"

	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

// Names that Vault reads the seal's settings from.
const (
	EnvVaultAliCloudKmsSealKeyId = "VAULT_ALICLOUDKMS_SEAL_KEY_ID"
	EnvAliCloudKmsWrapperKeyId   = "ALICLOUDKMS_WRAPPER_KEY_ID"
)

// Wrapper cannot be configured, so nothing else of it is ever called.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns one.
func NewWrapper() *Wrapper { return &Wrapper{} }

// SetConfig refuses.
func (*Wrapper) SetConfig(context.Context, ...wrapping.Option) (*wrapping.WrapperConfig, error) {
	return nil, errors.New("the lab's Vault has no seal alicloudkms")
}
