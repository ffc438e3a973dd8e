// Package kuberead reads single values of a cluster that a stack's outputs need: a field of an
// object, and the table of Nodes.
//
// It owns what is asked and the form of the answer. It does not own whether the object is there
// yet: a gate before it has found it, so that nothing here waits. What it reads is kept in the
// stack's state; a run without changes sends no request.
//
// A value that is not there, or empty, is an error, and no error quotes a value: it may be a
// Secret's.
package kuberead
