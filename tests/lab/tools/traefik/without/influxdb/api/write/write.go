// Package write is a stub of the InfluxDB client's package write. It has only the type of a point.
package write

// Point is a metric with a time.
type Point struct{}
