package health

import (
	"strata/internal/text/seen"
)

// SeenLine is a line of a gate's progress: when the observation came in that decided. What passes
// between it and the end of the gate's resource is lag. It is empty for a gate that ended for
// another reason than what it saw.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return seen.Line(r.Gate, r.Seen)
}
