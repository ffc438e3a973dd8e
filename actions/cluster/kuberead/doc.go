// Package kuberead reads single values of a cluster that a stack's outputs need: a field of an
// object, and the table of Nodes.
//
// It owns the request and the form of the answer. It does not wait for the object, because a gate
// has found it before. The stack's state keeps the values, so a run without changes sends no
// request.
//
// A missing or empty value is an error, and no error quotes a value: it may be a Secret's.
package kuberead
