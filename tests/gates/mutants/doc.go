// Command mutants proves that the gates' tests notice when a gate's judgement is changed. It makes every small change that
// turns a check around (a comparison, a condition, a state, a boundary), one at a time, runs the tests of the health
// package, and counts a change as killed when a test fails. A change that survives is a lie that no test would notice.
//
// All changes are compiled into one test binary, each behind a number, so that a run costs milliseconds and not a build:
// every changed expression becomes a choice between itself and its mutant. The package on disk is not touched (go build's
// -overlay). It writes tests/gates/mutants.md and exits with 1 if a mutant survives.
//
// It owns neither the tests nor what is worth changing beyond that: functions that observe (those with a context) are left
// to the tests against a scripted API.
package main
