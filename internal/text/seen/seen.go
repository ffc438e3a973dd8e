// Package seen formats the line with the time of the observation that decided a gate. Package
// health writes it. Package timeline reads it, and must not import all of health.
package seen

import (
	"strings"
	"time"
)

// mark separates a gate's name from the time.
const mark = ": decided by what was seen at "

// Line returns the line of a gate, with a newline.
func Line(gate string, at time.Time) string {
	return gate + mark + at.UTC().Format(time.RFC3339Nano) + "\n"
}

// Parse parses a Line. It returns false for any other line.
func Parse(line string) (time.Time, bool) {
	_, text, found := strings.Cut(line, mark)
	if !found {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(text))
	return at, err == nil
}
