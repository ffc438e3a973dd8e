// Package healthtest is for the tests of gates: fixtures of verdicts with their classes, objects
// from YAML, certificates, probes that answer. No program imports it.
package healthtest
