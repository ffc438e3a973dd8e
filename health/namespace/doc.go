// Package namespace gates the end of a namespace that is being deleted, and says what holds it.
package namespace
