package stackhealth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"strata/actions/hosts/inventory"
	"strata/health"
)

// findRoots maps each closed gate that depends on other closed gates to its root, the first of
// these in results. A stuck gate has a cause of its own, so it has no root.
func findRoots(gates []inventory.Gate, results []health.Result) map[string]string {
	below := map[string][]string{}
	for _, gate := range gates {
		below[gate.Spec.Gate] = gate.Below
	}
	var closed []health.Result
	for _, result := range results {
		if !result.Passes() && result.Ending != health.EndedNotAsked &&
			result.Ending != health.EndedMissing {
			closed = append(closed, result)
		}
	}
	roots := map[string]string{}
	for _, result := range closed {
		first := slices.IndexFunc(closed, func(other health.Result) bool {
			return slices.Contains(below[result.Gate], other.Gate)
		})
		if first >= 0 && result.Ending != health.EndedStuck {
			roots[result.Gate] = closed[first].Gate
		}
	}
	return roots
}

// countBehind returns a line for each root, with the number of closed gates that depend on it.
func countBehind(roots map[string]string) string {
	count := map[string]int{}
	for _, root := range roots {
		count[root]++
	}
	var text strings.Builder
	for _, root := range slices.Sorted(maps.Keys(count)) {
		gates := "1 gate behind %[2]s is"
		if count[root] > 1 {
			gates = "%d gates behind %s are"
		}
		fmt.Fprintf(&text, gates+" closed as well (strata health --all shows them)\n", count[root],
			root)
	}
	return text.String()
}
