// Package bench owns the file bench/results.json, which records measurements and their conditions.
// The measurements are next to their subjects (tests/e2e for the lab, tests/engine for the engine
// alone). The module serial is the baseline for Strata.
package bench

//go:generate go test ./page -run TestCommittedBenchmarkPagesMatchResults -update
