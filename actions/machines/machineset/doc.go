// Package machineset keeps machines that Strata made from being made anew by a configuration that
// changed. It owns the judgement: which keys only a new machine can follow, which machines a person
// consented to lose, and whether the cluster outlives that. It knows of a machine what its node's
// configuration says; what was asked for before comes from the previous output of the resource that
// asks (docs/adr/0029).
//
// It guarantees that no machine goes without the consent of that one node; and, before the first
// machine of a run is touched, never two servers in one run, and never a server without which etcd
// has no majority.
package machineset
