// Package write has a point.
package write

// Point is a value at a time.
type Point struct{}
