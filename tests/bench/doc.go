// Package bench owns the file bench/results.json: how a measurement is written down, and with what
// it was measured. What is measured, and how, is where the measured thing is (tests/e2e for the
// lab, tests/engine for the engine alone). The module serial is what Strata is measured by.
package bench

//go:generate go test ./page -run TestThePageIsFresh -update
