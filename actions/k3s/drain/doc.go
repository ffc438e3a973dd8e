// Package drain moves Pods off a node through the eviction API, so that PodDisruptionBudgets are
// kept. It reports which Pod and which budget block the drain. It does not use kubectl's drain:
// that package brings the whole command line, and names a budget only in a text on stderr
// (docs/adr/0012). It does not own when a node is drained, nor the steps after it.
package drain
