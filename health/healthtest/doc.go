// Package healthtest is for the tests of gates: fixtures of verdicts with their classes, objects
// from YAML, certificates, probes that answer. No program imports it.
//
// A fixture, testdata/NAME.yaml, is a list of cases. Each begins with its class and a sentence
// about the situation:
//
//   - ready, waiting, stuck, skipped: the state that the gate must be in;
//   - false-pass (must not open), false-fail (must open), give-up (must not be stuck): traps that
//     other gates fall into.
//
// A case with `base: true` is whole: spec, facts, and the verdicts that they must give. The cases
// below it, until the next base, say only how they differ from it: a map changes keys, null takes
// one away, and under a list of the base it changes items, each by its check, its name or its
// place. `go test ./health/KIND -update-verdicts` writes the verdicts that the facts give now.
package healthtest
