// Package health owns the gates: what "ready" means for each part of the platform, how it is observed, and what is said
// when it is not so.
//
// An observation (over SSH from the hosts, over client-go from each API server) becomes facts; facts become a Verdict by a
// pure function that has neither clock nor client, so every verdict has a YAML fixture. Only wait.go knows time and only
// gate.go knows Pulumi. The package changes nothing that it looks at: dry runs and reads only.
//
// Guarantees: Ready is never said on an observation that failed, is missing or is older than what is gated; Stuck (it can
// never become ready by waiting) ends a gate at once; an expired gate names what is still missing, the evidence, the next
// command, and the configuration key of its deadline.
package health
