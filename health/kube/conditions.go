package kube

import (
	"fmt"
)

// Stale reports whether a condition describes an earlier generation of its object than the given
// one. Such a condition may be about an earlier spec.
func (c Condition) Stale(generation int64) bool { return c.ObservedGeneration < generation }

// StaleMessage returns the message about a stale condition: its generation and the expected one, or
// that the condition is missing.
func StaleMessage(c Condition, generation int64) string {
	if c.Status == "" {
		return "has no condition " + c.Type + " yet"
	}
	return fmt.Sprintf("%s is %s of generation %d, expected generation %d", c.Type, c.Status,
		c.ObservedGeneration, generation)
}

// ConditionOf returns the condition of a type. Its Status is empty if it is not written yet.
func ConditionOf(conditions []Condition, kind string) Condition {
	for _, c := range conditions {
		if c.Type == kind {
			c.Message = Stable(c.Message)
			return c
		}
	}
	return Condition{Type: kind}
}
