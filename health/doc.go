// Package health owns the gates: the meaning of "ready" for each part of the platform, how it is
// observed, and the report when it is not so.
//
// An observation (over SSH from the hosts, over client-go from each API server) becomes facts;
// facts become a Verdict by a pure function that has neither clock nor client, so every verdict has
// a YAML fixture. Only wait.go knows time. A gate's resource is declared in package components.
// Nothing here changes the observed systems: dry runs and reads only.
//
// This package is the front room: a gate's input, its result and its waiting. Each kind has a
// package of its own with its facts, its judge and its watch; kube, host and observe have the code
// that several kinds share; kinds is the table of all of them, preflight the observations before
// the first change, waitfor the pulumi.com/waitFor annotations. A kind imports this package and the
// shared ones. It imports another kind only to judge a subject of that kind (an address under a
// URL, an issuer behind a certificate).
//
// A gate listens where it can: to watches of the API and systemd's signals on the bus. Elsewhere it
// polls, and a request's cost for the server sets the interval. A refused connection costs a packet
// each way and is tried 25 to 40 times a second (a port of a host that boots, /ping, a Service that
// kube-proxy has not taken up). A process, a TLS handshake or a dry run is started ten times a
// second, and sooner after related news (a host that reaches a webhook wakes the dry runs). At the
// moment when a thing becomes ready its host is busy, and every program that an observation starts
// has to wait for its turn: observations are shell builtins where they can be, and requests that do
// not need each other go out together. The target is 250 ms from true to noticed
// (docs/benchmarks.md, gate_lag).
//
// Guarantees: Ready is never reported on an observation that failed, is missing or is older than
// the gated change; Stuck (it can never become ready by waiting) ends a gate at once; an expired
// gate names the missing condition, the evidence, the next command, and the configuration key of
// its deadline.
package health
