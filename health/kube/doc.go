// Package kube observes clusters for the kinds of gates: clients of each API server, reads that go
// to the next server if one cannot be asked, and watches that trigger a new observation. It also
// has the reads that several kinds share (conditions, Events, workloads, endpoints, /readyz).
//
// A watch triggers an observation but is never one itself. Faults are distinguished by their kind,
// so that no verdict rests on an answer that did not come. The package judges workloads and faults,
// which several kinds have; each kind judges everything else.
package kube
