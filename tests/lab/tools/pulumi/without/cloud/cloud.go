// Package cloud stands in for the clouds' keys, with which the lab's Pulumi encrypts no secrets.
package cloud

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

var errNone = errors.New("the lab's Pulumi has no keys of clouds: use a passphrase")

// Type is a state's name of such a manager of secrets.
const Type = "cloud"

// EditProjectStack refuses.
func EditProjectStack(*workspace.ProjectStack, json.RawMessage) error { return errNone }

// NewCloudSecretsManagerFromState refuses.
func NewCloudSecretsManagerFromState(json.RawMessage) (secrets.Manager, error) { return nil, errNone }

// NewCloudSecretsManager refuses.
func NewCloudSecretsManager(*workspace.ProjectStack, string, bool) (secrets.Manager, error) {
	return nil, errNone
}
