// Package kuberead reads values of a cluster for a stack's outputs: a field of an object, the list
// of Nodes, and the API server's time.
//
// It does not wait for an object, because a gate has waited for it before. The stack's state stores
// the values, so a run without changes sends no request.
//
// A missing or empty value is an error. No error quotes a value, because it may be a Secret's.
package kuberead
