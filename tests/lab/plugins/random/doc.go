// The stand-in random plugin makes random values that stay the same until their inputs change.
//
// It owns RandomPassword and RandomId with the inputs, outputs, ids and secrets of the official
// plugin 4.19.2. Every changed input replaces the resource. It does not own that plugin's other
// resources, nor imports, nor a password's classes of characters but the special ones, and refuses
// values that the SDK's types do not allow and an id of no bytes, which the official plugin takes.
//
// tests/conformance holds both plugins to the same table.
package main
