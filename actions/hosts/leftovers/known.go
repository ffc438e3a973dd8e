package leftovers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"strata/actions/hosts/inventory"
	"strata/internal/nspawn"
	"strata/internal/pulumi/stackstate"
)

// Before holds the cluster's identity and the unfinished machines of a state before its destroy.
type Before struct {
	// Cluster is the identity of the stack's cluster; empty where there was none.
	Cluster string `json:"cluster,omitempty"`
	// Machines are those whose creation was interrupted.
	Machines []nspawn.Spec `json:"machines"`
}

// KnownBefore reads them from a state.
func KnownBefore(state *stackstate.State) (known Before, err error) {
	known.Cluster = inventory.ClusterID(state)
	known.Machines, err = unfinishedMachines(state)
	return known, err
}

// unfinishedMachines are the machines of this host whose creation a state has as interrupted.
func unfinishedMachines(state *stackstate.State) ([]nspawn.Spec, error) {
	specs := []nspawn.Spec{}
	for _, pending := range state.Pending {
		if pending.Type != apitype.OperationTypeCreating || !pending.Resource.Runs("machine create") {
			continue
		}
		spec, err := nspawn.ReadSpec(strings.NewReader(pending.Resource.Input("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w", pending.Resource.URN, err)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// ReadBefore reads a Before as JSON. There may be nothing to read.
func ReadBefore(in io.Reader) (known Before, err error) {
	text, err := io.ReadAll(in)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return Before{}, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return Before{}, fmt.Errorf("machines on stdin, as --unfinished prints them: %w", err)
	}
	return known, nil
}
