// Package page owns docs/benchmarks.md and its pictures: both are rendered from bench/results.json,
// and no number is typed. Its test fails when they are stale; `go generate ./tests/bench` rewrites
// them.
//
// The plots are drawn with tests/bench/svg and not by a plotting library: they follow the reader's
// light or dark, are read out by a screen reader, and need no module of their own.
package page
