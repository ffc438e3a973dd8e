// Package cloud is a stub of the package that encrypts secrets with a cloud's keys. The lab's
// Pulumi uses a passphrase.
package cloud

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

var errNone = errors.New("the lab's Pulumi has no keys of clouds: use a passphrase")

// Type is the name of this kind of secrets manager in a state.
const Type = "cloud"

// EditProjectStack always fails.
func EditProjectStack(*workspace.ProjectStack, json.RawMessage) error { return errNone }

// NewCloudSecretsManagerFromState always fails.
func NewCloudSecretsManagerFromState(json.RawMessage) (secrets.Manager, error) { return nil, errNone }

// NewCloudSecretsManager always fails.
func NewCloudSecretsManager(*workspace.ProjectStack, string, bool) (secrets.Manager, error) {
	return nil, errNone
}
