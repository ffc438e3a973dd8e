package machineset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Changes refuses what a machine that exists cannot follow. made and wanted have what a machine
// gets once, when it is made: configuration keys below strata: and their values. A key that only
// one of the two has came or went with a version of Strata, and says nothing.
func Changes(name string, made, wanted map[string]string) error {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		was, known := made[key]
		if !known || was == wanted[key] {
			continue
		}
		wrong = append(wrong, fmt.Errorf("strata:%s: %s was made with %s, and %s is asked for, which needs a new machine; take it back, or consent to lose what "+
			"is on this one: recreate: A-NEW-WORD at its entry of strata:hosts.nodes", key, name, shown(was), shown(wanted[key])))
	}
	return errors.Join(wrong...)
}

func shown(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}
