// Package drift holds a stand-in of the lab and its original to the same rows. A row is one thing
// that the stand-in keeps; the subjects are the lab's own, and the original where the folder of
// originals has it (docs/originals.md). `make drift` runs all of them.
//
// It owns what a difference is, the list of those that are known, and the rows of K3s, which need a
// binary and no node. The rows of charts and CRDs are in tests/charts, those of plugins and of a
// running controller in tests/conformance.
package drift
