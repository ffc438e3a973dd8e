// The stand-in random plugin creates random values that stay the same until their inputs change.
//
// It implements RandomPassword and RandomId with the inputs, outputs, ids and secrets of the
// official plugin 4.19.2. Any changed input replaces the resource. It does not implement other
// resources, imports, or a password's character classes except special characters. It rejects
// values that the SDK's types do not allow, and an id of 0 bytes, which the official plugin
// accepts.
//
// tests/conformance runs the same tests against both plugins.
package main
