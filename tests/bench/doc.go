// Package bench reads and writes bench/results.json, which records measurements and their
// conditions. The tests that measure are in tests/e2e (in the lab) and in tests/engine (Pulumi's
// engine without hosts). The module serial is a deployment script to compare Strata with.
package bench

//go:generate go test ./page -run TestCommittedBenchmarkPagesMatchResults -update
