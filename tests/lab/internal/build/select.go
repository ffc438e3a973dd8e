package build

import (
	"fmt"
	"slices"
)

// Select returns the named steps and all their dependencies, in the order of the list. Without
// names, it returns all steps.
func Select(steps []Step, names []string) ([]Step, error) {
	if len(names) == 0 {
		return steps, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		if !slices.ContainsFunc(steps, func(s Step) bool { return s.Name == name }) {
			return nil, fmt.Errorf("there is no step %q", name)
		}
		wanted[name] = true
	}
	var selected []Step
	// A step needs only earlier steps, so one pass from the end finds all dependencies.
	for _, step := range slices.Backward(steps) {
		if !wanted[step.Name] {
			continue
		}
		selected = append(selected, step)
		for _, need := range step.Needs {
			wanted[need] = true
		}
	}
	slices.Reverse(selected)
	return selected, nil
}
