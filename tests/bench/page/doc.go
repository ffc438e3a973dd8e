// Package page renders docs/benchmarks.md and its pictures from bench/results.json; no number is
// written by hand. Its test fails if they are stale; `go generate ./tests/bench` rewrites them.
//
// It draws the plots with tests/bench/svg and not with a plotting library. So the plots follow the
// reader's light or dark scheme, and a screen reader can read them.
package page
