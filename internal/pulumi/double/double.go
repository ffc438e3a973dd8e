// Package double finds integers that Pulumi rounds, because its engine holds each number as a
// float64.
package double

import "math"

// Rounds reports whether a value is an integer beyond 2^53, which a float64 may round.
func Rounds(value any) bool {
	const exact = 1 << 53
	switch value := value.(type) {
	case int64:
		return value > exact || value < -exact
	case float64: // parsers return an integer beyond 64 bits as a float64
		return math.Abs(value) > exact && value == math.Trunc(value)
	}
	return false
}
