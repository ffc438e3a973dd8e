package machineset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Changes returns an error for each changed value that needs a new machine. made and wanted map
// configuration keys (below strata:) to the values that are fixed at creation. A key that is only
// in one of them belongs to another version of Strata, and is ignored.
func Changes(name string, made, wanted map[string]string) error {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		was, known := made[key]
		if !known || was == wanted[key] {
			continue
		}
		wrong = append(wrong, fmt.Errorf(
			"strata:%s: %s was made with %s, and %s is asked for, which needs a new machine; "+
				"take it back, or consent to lose what "+
				"is on this one: recreate: A-NEW-WORD at its entry of strata:hosts.nodes",
			key, name,
			displayValue(was), displayValue(wanted[key])))
	}
	return errors.Join(wrong...)
}

func displayValue(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}
