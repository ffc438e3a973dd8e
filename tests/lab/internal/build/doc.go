// Package build runs the lab's build graph. It runs a few steps at a time, each after the steps
// that it needs. It caches each step's output by the digest of its inputs.
//
// It does not know what a step does. A cache entry is always complete, because it appears by a
// rename. Equal inputs are built once. A failed step stops only the steps that need it.
package build
