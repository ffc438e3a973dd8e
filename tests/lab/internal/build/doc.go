// Package build runs the lab's build graph. It runs a few steps at a time, each after the steps
// that it needs, and caches each step's output by the digest of its inputs.
//
// It does not know the work of a step. It guarantees that a cache entry is complete (it appears by
// a rename) and that equal inputs are built once. A failed step stops only the steps that need it.
package build
