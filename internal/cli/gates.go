package cli

import (
	"fmt"

	"strata/health"
	"strata/internal/stackstate"
)

// recordedGate is a gate as the state has it.
type recordedGate struct {
	spec    health.Spec
	secrets health.Secrets
}

// gatesIn finds the gates in a state.
func gatesIn(state *stackstate.State) ([]recordedGate, error) {
	var gates []recordedGate
	for _, command := range state.Running("gate") {
		spec, err := health.ParseSpec([]byte(command.Input("stdin")))
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", command.URN, err)
		}
		gates = append(gates, recordedGate{spec: spec, secrets: secretsFrom(command.Environment)})
	}
	return gates, nil
}
