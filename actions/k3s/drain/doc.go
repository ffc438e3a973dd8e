// Package drain evicts the Pods of a node through the eviction API, which respects
// PodDisruptionBudgets. It reports which Pod and which budget block the drain. It does not use
// kubectl's drain package, which brings the whole command line and names a budget only in a text on
// stderr (docs/adr/0012). The caller decides when to drain a node.
package drain
