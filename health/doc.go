// Package health has the gates. It defines what "ready" means for each part of the platform,
// observes it, and reports why a part is not ready.
//
// An observation (over SSH from the hosts, over client-go from each API server) becomes facts. A
// pure function without clock or client turns facts into a Verdict, so that every verdict has a
// YAML fixture. Only wait.go handles the deadline. A gate's resource is declared in package
// components. Nothing here changes the observed systems: dry runs and reads only.
//
// This package has a gate's Spec and Result, and waits for its verdicts. Each kind has its own
// package with its facts, judge and watch. Packages kube, host and observe have the code that
// several kinds share. Package kinds has the table of all kinds, preflight the observations before
// the first change, and waitfor the pulumi.com/waitFor annotations. A kind imports this package and
// the shared ones. It imports another kind only to judge a subject of that kind (an address under a
// URL, an issuer behind a certificate).
//
// A gate listens to events where they exist: watches of the API, and systemd's signals on D-Bus.
// Otherwise it polls, at an interval that depends on the cost of a request for the server. A
// refused connection costs a packet each way and is tried 25 to 40 times a second (a port of a host
// that boots, /ping, a Service for which kube-proxy has no rules yet). A process, a TLS handshake
// or a dry run is started ten times a second, and sooner after a related event (when a host reaches
// a webhook, the dry run starts). A host is busy just when a part becomes ready, which delays every
// program that an observation starts. So observations use shell builtins where they can, and
// independent requests run in parallel. The target is that a gate opens within 250 ms after its
// part is ready (docs/benchmarks.md, gate_lag).
//
// Guarantees: a gate never reports Ready if its observation failed, is missing, or is older than
// the gated change. Stuck (waiting cannot help) ends a gate at once. A gate that times out names
// the missing condition, the evidence, the next command, and the configuration key of its deadline.
package health
