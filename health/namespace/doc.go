// Package namespace gates the end of a namespace that is being deleted, and names the objects that
// hold it.
package namespace
