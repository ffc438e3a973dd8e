// Package types has a line of a log.
package types

// FilteredLogEvent is one.
type FilteredLogEvent struct {
	Message   *string
	Timestamp *int64
}
