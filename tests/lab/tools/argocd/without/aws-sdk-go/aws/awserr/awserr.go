// Package awserr has the errors of Amazon's API, of which there are none.
package awserr

// Error is one.
type Error interface {
	error
	Code() string
}
