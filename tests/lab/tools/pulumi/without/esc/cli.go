// Package cli is a stub of the package that gives a stack the environments of Pulumi's own service.
// The lab's stacks use none.
package cli

import (
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/esc"
)

// PrepareOptions are options of PrepareEnvironment.
type PrepareOptions struct{ Pretend, Redact bool }

// PrepareEnvironment always fails.
func PrepareEnvironment(*esc.Environment, *PrepareOptions) (files, environ, secrets []string,
	byKey map[string]string, err error) {
	return nil, nil, nil, nil, errors.New("the lab's Pulumi has no environments of Pulumi's service")
}
