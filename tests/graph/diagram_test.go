package graph_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"strata/health/kinds"
	"strata/health/namespace"
)

// diagram returns the graph as a Mermaid flowchart of layers. Each arrow has the gates of one layer
// that must open before a resource of the other layer starts.
func (g graph) diagram() string {
	arrows := map[string]map[string]bool{}
	for _, name := range g.names() {
		layer, gates := g.layer(name), g.nearestGates(name)
		if strings.HasSuffix(layer, "-teardown") { // the guard of a destroy is no layer
			continue
		}
		for _, gate := range gates {
			arrow := g.layer(gate) + " -->|%s| " + layer
			if g.layer(gate) == layer || g.coveredBy(gates, gate) {
				continue
			}
			if arrows[arrow] == nil {
				arrows[arrow] = map[string]bool{}
			}
			arrows[arrow][node.ReplaceAllString(gate, "-$1-N")] = true
		}
	}
	lines := []string{"```mermaid", "flowchart LR"}
	for _, arrow := range slices.Sorted(maps.Keys(arrows)) {
		label := strings.Join(slices.Sorted(maps.Keys(arrows[arrow])), "<br>")
		lines = append(lines, "  "+fmt.Sprintf(arrow, label))
	}
	return strings.Join(append(lines, "```"), "\n") + "\n"
}

// node matches the end of a node's name, which the diagram replaces by its role.
var node = regexp.MustCompile(`-(server|agent)-\d+`)

// nearestGates returns the gates that a resource waits for, without those behind another gate.
func (g graph) nearestGates(name string) []string {
	var gates []string
	seen := map[string]bool{}
	for queue := slices.Clone(g[name].Dependencies); len(queue) > 0; queue = queue[1:] {
		next := queue[0]
		switch {
		case seen[next]:
		case g.isGate(next):
			gates = append(gates, next)
		default:
			queue = append(queue, g[next].Dependencies...)
		}
		seen[next] = true
	}
	return gates
}

// coveredBy reports whether another of the gates waits for gate.
func (g graph) coveredBy(gates []string, gate string) bool {
	return slices.ContainsFunc(gates, func(other string) bool {
		return other != gate &&
			g.reaches(other, gate)
	})
}

// isGate reports whether a resource is a gate. The gate of a namespace's termination does not
// count, because only its delete does anything.
func (g graph) isGate(name string) bool {
	spec, err := kinds.Parse([]byte(g[name].Text("stdin")))
	return err == nil && spec.Kind() != namespace.Kind
}
