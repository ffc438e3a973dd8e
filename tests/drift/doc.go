// Package drift checks a stand-in of the lab and its original against the same rows. A row is one
// property that the stand-in keeps. The subjects are the lab's own, and the original if the folder
// of originals has it (tests/lab/originals.md). `make drift` checks all of them.
//
// It owns the definition of a difference, the list of known ones, and the rows of K3s that need a
// binary but no node. The rows of charts and CRDs are in tests/charts, those of plugins and of a
// running controller in tests/conformance.
package drift
