package health

import "fmt"

// stale reports whether a condition is about an earlier generation of its object than the given one: what it says may have
// been true of another specification. Neither kubectl wait nor Pulumi's waitFor compares the two.
func (c condition) stale(generation int64) bool { return c.ObservedGeneration < generation }

// staleSaid puts a stale condition into words.
func staleSaid(c condition, generation int64) string {
	if c.Status == "" {
		return "has no condition " + c.Type + " yet"
	}
	return fmt.Sprintf("%s is %s of generation %d, expected generation %d", c.Type, c.Status, c.ObservedGeneration, generation)
}

// conditionOf is the condition of a type; without a status where nobody has written one.
func conditionOf(conditions []condition, kind string) condition {
	for _, c := range conditions {
		if c.Type == kind {
			c.Message = stable(c.Message)
			return c
		}
	}
	return condition{Type: kind}
}
