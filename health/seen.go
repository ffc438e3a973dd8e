package health

import (
	"strata/internal/text/seen"
)

// SeenLine returns a line of a gate's progress: the time of the deciding observation. The time from
// it to the end of the gate's resource is lag. It is empty for a gate that no observation ended.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return seen.Line(r.Gate, r.Seen)
}
