// Package machineset prevents that a changed configuration replaces machines that Strata made. It
// owns the judgement: which keys only a new machine can follow, which machines a person consented
// to lose, and whether the cluster outlives that. It knows a machine by its node's configuration;
// the former configuration comes from the resource's previous output (docs/adr/0029).
//
// It guarantees that no machine goes without the consent of that one node; and, before the first
// machine of a run is touched, never two servers in one run, and never a server without which etcd
// has no majority.
package machineset
