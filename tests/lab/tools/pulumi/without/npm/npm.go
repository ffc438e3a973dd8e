// Package npm is a stub of the package that packs Node policy packs for Pulumi's service.
package npm

import (
	"context"
	"errors"
	"io"
)

// AutoPackageManager lets Pulumi choose the package manager.
const AutoPackageManager = "auto"

// Pack always fails.
func Pack(context.Context, string, string, io.Writer) ([]byte, error) {
	return nil, errors.New("the lab's Pulumi packs nothing for Node")
}
