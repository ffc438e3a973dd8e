// Package bench owns the file bench/results.json, which records measurements and their conditions.
// The code that measures is next to its subject: tests/e2e for the lab, tests/engine for the engine
// alone. The module serial is a serial script, with which Strata is compared.
package bench

//go:generate go test ./page -run TestCommittedBenchmarkPagesMatchResults -update
