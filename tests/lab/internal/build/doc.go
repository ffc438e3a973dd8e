// Package build runs the lab's build graph: steps that need each other, a few at a time, each kept
// in a cache by the digest of its inputs.
//
// It does not know what a step builds. It guarantees that a cache entry is complete (it appears by
// a rename), that equal inputs are built once, and that a failed step stops only what needs it.
package build
