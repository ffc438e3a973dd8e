// Package npm stands in for the packing of Node's policy packs for Pulumi's service.
package npm

import (
	"context"
	"errors"
	"io"
)

// AutoPackageManager is Pulumi's choice.
const AutoPackageManager = "auto"

// Pack refuses.
func Pack(context.Context, string, string, io.Writer) ([]byte, error) {
	return nil, errors.New("the lab's Pulumi packs nothing for Node")
}
