// Package credentials has credentials that nobody reads.
package credentials

// Credentials are some.
type Credentials struct{}
