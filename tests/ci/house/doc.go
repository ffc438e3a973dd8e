// Command house prints the size of each room of the project, and the functions with unclear names.
// A room is a top-level folder of the product. The command fails if a size exceeds its bound, or if
// a name is unclear (docs/architecture.md, ADR 74). hack/house runs it. The linter checks the
// imports between rooms.
package main
