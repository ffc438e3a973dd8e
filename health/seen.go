package health

import (
	"strata/internal/text/seen"
)

// SeenLine returns a progress line with the time of the observation that opened or ended the gate.
// The time from there to the end of the gate's resource is the gate's lag. The line is empty after
// a timeout or an interruption.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return seen.Line(r.Gate, r.Seen)
}
