// Package teardown owns what is printed and asked before a cluster is destroyed: whether the
// configuration that the last up had protects it, and what of the users' goes with it. It deletes
// nothing.
package teardown
