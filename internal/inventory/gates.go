package inventory

import (
	"fmt"

	"strata/health"
	"strata/internal/stackstate"
)

// Gate is a gate as the state has it.
type Gate struct {
	Spec    health.Spec
	Secrets health.Secrets
}

// Gates finds the gates in a state.
func Gates(state *stackstate.State) ([]Gate, error) {
	var gates []Gate
	for _, command := range state.Running("gate") {
		spec, err := health.ParseSpec([]byte(command.Input("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", command.URN, err)
		}
		gates = append(gates, Gate{Spec: spec, Secrets: health.SecretsFrom(command.Environment)})
	}
	return gates, nil
}
