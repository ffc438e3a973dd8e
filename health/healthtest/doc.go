// Package healthtest helps to test gates: it has fixtures of verdicts, objects from YAML,
// certificates, and a stand-in for the probe on a host. Only tests import it.
//
// A fixture, testdata/NAME.yaml, is a list of cases. Each begins with its class and a sentence
// about the situation:
//
//   - ready, waiting, stuck, skipped: the state that the gate must be in;
//   - false-pass (must not open), false-fail (must open), give-up (must not be stuck): mistakes
//     that other health checks make.
//
// A case with `base: true` is complete: spec, facts, and the expected verdicts. Each case below it,
// until the next base, has only its differences from the base. A map changes keys, and null removes
// a key. In place of a list, a map changes items by their check, name or index.
// `go test ./health/KIND -update-verdicts` writes the verdicts that the facts give now.
package healthtest
