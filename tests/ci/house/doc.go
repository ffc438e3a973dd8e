// Command house prints the size of each room of the project and its unclear names of functions, and
// fails if one exceeds its bounds (docs/architecture.md, ADR 74). hack/house runs it. The linter
// checks the imports between rooms.
package main
