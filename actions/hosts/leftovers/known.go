package leftovers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/internal/pulumi/stackstate"
)

// Before holds values from the state before a destroy that are needed after it.
type Before struct {
	// Cluster is the random ID of the stack's cluster; "" if it had none.
	Cluster string `json:"cluster,omitempty"`
}

// KnownBefore returns the Before of a state.
func KnownBefore(state *stackstate.State) Before {
	return Before{Cluster: inventory.ClusterID(state)}
}

// ReadBefore decodes a Before from JSON. It returns an empty one for an empty input.
func ReadBefore(in io.Reader) (known Before, err error) {
	text, err := io.ReadAll(in)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return Before{}, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return Before{}, fmt.Errorf("the cluster on stdin, as --before-destroy prints it: %w", err)
	}
	return known, nil
}
