package kube

import (
	"strata/health/observe"
)

// Condition holds the fields of a Kubernetes Condition that gates judge.
type Condition struct {
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// ObservedGeneration is the generation of the object that the Condition describes, if its
	// writer sets it.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ConditionLine returns a condition as evidence: type=status (reason) message.
func ConditionLine(c Condition) string {
	name := c.Type
	if name == "" {
		name = "Ready"
	}
	line := name + "=" + observe.OrNone(c.Status)
	if c.Reason != "" {
		line += " (" + c.Reason + ")"
	}
	if c.Message != "" {
		line += " " + c.Message
	}
	return line
}
