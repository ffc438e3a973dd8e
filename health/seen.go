package health

import (
	"strata/internal/text/seen"
)

// SeenLine returns a line of a gate's progress with the time of the deciding observation. The time
// from that to the end of the gate's resource is the gate's lag. The line is empty if no
// observation ended the gate.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return seen.Line(r.Gate, r.Seen)
}
