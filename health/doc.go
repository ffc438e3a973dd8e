// Package health implements the gates. A gate defines when one part of the platform is ready,
// observes that part, and reports why it is not ready.
//
// An observation (over SSH from the hosts, over client-go from each API server) becomes facts. A
// pure function without clock or client turns facts into a Verdict, so that YAML fixtures can test
// every verdict. Only wait.go handles the deadline. Package components declares the resource of a
// gate. A gate never changes the observed systems: it only reads and makes dry runs.
//
// This package has a gate's Spec and Result, and waits for its verdicts. Each kind of gate has its
// own package with its facts, judge and watch. Packages kube, host and observe have the code that
// several kinds share. Package kinds lists all kinds, cli/preflight observes before the first
// change, and waitfor handles pulumi.com/waitFor annotations. A kind imports another kind only to
// judge a subject of that kind (an address under a URL, an issuer behind a certificate).
//
// A gate listens to events where they exist: watches of the API, and systemd's signals on D-Bus.
// Otherwise it polls, at an interval that depends on the cost of a request for the server. A
// connection that may be refused costs one packet each way. Gates try it 25 to 40 times a second (a
// port of a booting host, /ping, a Service without kube-proxy rules). Gates start a process, a TLS
// handshake or a dry run ten times a second, and also after a related event. For example, when a
// host reaches a webhook, the dry run starts. A host is busy when a part becomes ready, which slows
// every program that an observation starts. So observations use shell builtins where they can, and
// make independent requests in parallel. The target is that a gate opens within 250 ms after its
// part is ready (docs/benchmarks.md, gate_lag).
//
// Guarantees: a gate never reports Ready if its observation failed, is missing, or is older than
// the gated change. Stuck (waiting cannot help) ends a gate at once with an error. A gate that
// times out names the missing condition, the evidence, the next command, and the configuration key
// of its deadline.
package health
