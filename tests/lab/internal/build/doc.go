// Package build runs the lab's build graph. It runs a few steps at a time, each after the steps
// that it needs. It caches each step's output by the digest of its inputs.
//
// Package build does not know the work of a step. A cache entry is always complete, because a
// rename publishes it. Equal inputs are built once. A failed step stops only the steps that need
// it.
package build
