package health

import (
	"strings"
	"time"
)

// seenMark stands between a gate's name and the time in a SeenLine.
const seenMark = ": decided by what was seen at "

// SeenLine is the last line of a gate's progress: when the observation came in that decided. What passes between it and the end of
// the gate's resource is lag. It is empty for a gate that ended for another reason than what it saw.
func SeenLine(r Result) string {
	if r.Seen.IsZero() || r.Ending != EndedOpen && r.Ending != EndedStuck {
		return ""
	}
	return r.Gate + seenMark + r.Seen.UTC().Format(time.RFC3339Nano) + "\n"
}

// ParseSeen reads a SeenLine; false for any other line.
func ParseSeen(line string) (time.Time, bool) {
	_, text, found := strings.Cut(line, seenMark)
	if !found {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(text))
	return at, err == nil
}
