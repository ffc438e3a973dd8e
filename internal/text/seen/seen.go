// Package seen owns the line in which a gate says when it saw what decided: package health writes
// it, and package timeline, which must not need all of health, reads it.
package seen

import (
	"strings"
	"time"
)

// mark stands between a gate's name and the time.
const mark = ": decided by what was seen at "

// Line is the line of a gate, with its end.
func Line(gate string, at time.Time) string {
	return gate + mark + at.UTC().Format(time.RFC3339Nano) + "\n"
}

// Parse reads a Line; false for any other.
func Parse(line string) (time.Time, bool) {
	_, text, found := strings.Cut(line, mark)
	if !found {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(text))
	return at, err == nil
}
