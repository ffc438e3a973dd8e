// Package drain moves Pods off a node through the eviction API, so that PodDisruptionBudgets are
// kept, and says which Pod and which budget hold it up. It is kubectl's drain without kubectl: that
// one's package brings its whole command line, and a budget's name only in a text on stderr
// (docs/adr/0012). What it does not own: when a node is drained, and what follows.
package drain
