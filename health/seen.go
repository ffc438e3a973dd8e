package health

import (
	"strata/internal/text/seen"
)

// SeenLine returns a progress line with the time of the observation that opened or ended the gate.
// The gate's lag is the time from this observation to the end of the gate's resource. The line is
// empty after a timeout or an interruption.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return seen.Line(r.Gate, r.Seen)
}
