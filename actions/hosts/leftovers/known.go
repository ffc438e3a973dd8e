package leftovers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/internal/pulumi/stackstate"
)

// Before holds the part of a state that is asked for after its destroy.
type Before struct {
	// Cluster is the identity of the stack's cluster; empty where there was none.
	Cluster string `json:"cluster,omitempty"`
}

// KnownBefore reads it from a state.
func KnownBefore(state *stackstate.State) Before {
	return Before{Cluster: inventory.ClusterID(state)}
}

// ReadBefore reads a Before as JSON. There may be nothing to read.
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
