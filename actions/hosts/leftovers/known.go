package leftovers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/internal/pulumi/stackstate"
)

// Before holds the values of a state that are needed after its destroy.
type Before struct {
	// Cluster is the identity of the stack's cluster; empty where there was none.
	Cluster string `json:"cluster,omitempty"`
}

// KnownBefore reads a Before from a state.
func KnownBefore(state *stackstate.State) Before {
	return Before{Cluster: inventory.ClusterID(state)}
}

// ReadBefore reads a Before as JSON. An empty input gives an empty Before.
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
