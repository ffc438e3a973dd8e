package inventory

import (
	"context"
	"fmt"
	"slices"

	"strata/health"
	"strata/health/kinds"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/tunnel"
)

// Gate is a gate of the state: its Spec and its secrets.
type Gate struct {
	Spec    health.Spec
	Secrets health.Secrets
	// Below names the gates on which this gate depends, directly or indirectly.
	Below []string
}

// Gates returns the gates in a state.
func Gates(state *stackstate.State) ([]Gate, error) {
	var gates []Gate
	graph, names := state.Graph(), map[string]string{}
	for _, command := range state.Commands("gate") {
		gate, err := ReadGate(command.Input("stdin"), command.Environment)
		if err != nil {
			return nil, fmt.Errorf("state of %s: %w; run pulumi up with this version of the program", command.URN, err)
		}
		gates = append(gates, gate)
		names[string(command.URN)] = gate.Spec.Gate
	}
	for i, command := range state.Commands("gate") {
		gates[i].Below = findBelow(string(command.URN), graph, names)
	}
	return gates, nil
}

// findBelow returns the names of the gates on which a resource depends, directly or indirectly.
// graph has the dependencies of each URN, names the gates by URN.
func findBelow(urn string, graph map[string][]string, names map[string]string) (below []string) {
	seen := map[string]bool{urn: true}
	for queue := slices.Clone(graph[urn]); len(queue) > 0; queue = queue[1:] {
		next := queue[0]
		if seen[next] {
			continue
		}
		seen[next] = true
		if names[next] != "" {
			below = append(below, names[next])
		}
		queue = append(queue, graph[next]...)
	}
	return below
}

// ReadGate parses the stdin and environment of a gate's command. It fails if another version of the
// program wrote the Spec.
func ReadGate(stdin string, environment func(string) string) (Gate, error) {
	spec, err := kinds.Parse([]byte(stdin))
	return Gate{Spec: spec, Secrets: health.SecretsFrom(environment)}, err
}

// OpenTunnel opens the tunnel to a stack's cluster for requests that no gate makes. It returns nil
// if no gate has a tunnel, because then the cluster can be reached directly.
func OpenTunnel(ctx context.Context, gates []Gate) (*tunnel.Lease, error) {
	for _, gate := range gates {
		if way := gate.Spec.Tunnel(); way.There() {
			return tunnel.Open(ctx, way, gate.Secrets.SSHKey)
		}
	}
	return nil, nil //nolint:nilnil // no gate has a tunnel
}
