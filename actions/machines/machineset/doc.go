// Package machineset prevents that a changed configuration replaces machines that Strata made. It
// decides three things: which keys only a new machine can follow, which machines the user consented
// to lose, and whether the cluster survives that. It knows a machine by its node's configuration.
// The former configuration comes from the resource's previous output (docs/adr/0029).
//
// It guarantees that no machine is replaced without consent for that one node. Before the first
// machine of a run is changed, it also refuses two servers in one run, and a server without which
// etcd has no majority.
package machineset
