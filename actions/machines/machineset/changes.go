package machineset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Changes returns an error for values that an existing machine cannot follow. made and wanted hold
// the values that are fixed when a machine is made, by configuration keys below strata:. A key that
// only one of them has came or went with a version of Strata, and is ignored.
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
