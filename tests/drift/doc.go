// Package drift checks a stand-in of the lab and the upstream artifact against the same rows. A row
// is a property that the stand-in has as well. The upstream artifact is checked if the folder
// ORIGINALS has it (tests/lab/originals.md). `make drift` checks all stand-ins.
//
// This package defines differences and compares facts. It also has the rows of K3s that need a
// binary but no node. The rows of charts and CRDs are in tests/charts, those of plugins and of a
// running controller in tests/conformance.
package drift
