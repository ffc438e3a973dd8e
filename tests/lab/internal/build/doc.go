// Package build runs the lab's build graph: steps that need each other, a few at a time, each kept
// in a cache by the digest of its inputs.
//
// It does not know a step's work. It guarantees that a cache entry is complete (it appears by a
// rename) and that equal inputs are built once. A failed step stops only its dependants.
package build
