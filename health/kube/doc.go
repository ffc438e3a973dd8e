// Package kube observes clusters for the kinds of gates: clients of each API server, reads that try
// the next server after a failure, and watches that trigger a new observation. It also reads what
// several kinds need: conditions, Events, workloads, endpoints and /readyz.
//
// A watch only triggers an observation: facts come from reads. A failed request becomes a Fault
// with a kind, so that no verdict is based on a missing answer. The package judges workloads and
// faults, which several kinds of gates have; each kind judges everything else.
package kube
