package leftovers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/internal/hypervisor"
	"strata/internal/pulumi/stackstate"
)

// Before holds values from the state before a destroy that are needed after it.
type Before struct {
	// Cluster is the random ID of the stack's cluster; "" if it had none.
	Cluster string `json:"cluster,omitempty"`
	// Hypervisor is the address of the hypervisor that ran the stack's virtual machines. HostKey is
	// its pinned SSH host key. Both are "" without a hypervisor.
	Hypervisor string `json:"hypervisor,omitempty"`
	HostKey    string `json:"hostKey,omitempty"`
}

// KnownBefore returns the Before of a state.
func KnownBefore(state *stackstate.State) (Before, error) {
	made, err := madeVMs(state)
	return knownBefore(state, made), err
}

func knownBefore(state *stackstate.State, made []hypervisor.Spec) Before {
	known := Before{Cluster: inventory.ClusterID(state)}
	if len(made) > 0 {
		known.Hypervisor, known.HostKey = made[0].Hypervisor.Address, made[0].Hypervisor.HostKey
	}
	return known
}

// ReadBefore decodes a Before from JSON. It returns an empty Before for an empty input.
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
