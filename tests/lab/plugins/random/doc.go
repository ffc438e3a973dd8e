// The stand-in random plugin makes random values that stay the same until their
// inputs change.
//
// It owns RandomPassword, RandomString and RandomId with the inputs, outputs,
// ids and secrets of the official plugin 4.21.2. Every changed input replaces
// the resource. It does not own that plugin's other resources.
//
// tests/conformance holds both plugins to the same table.
package main
