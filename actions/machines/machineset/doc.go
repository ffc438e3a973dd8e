// Package machineset prevents a changed configuration from replacing machines without consent. It
// decides which changes need a new machine, which machines the user agreed to lose, and whether the
// cluster survives that. The previous configuration comes from the resource's previous output
// (docs/adr/0029).
//
// No machine is replaced without consent for its node. Before the first machine is changed, it also
// refuses to replace two servers in one run, or a server without which etcd has no majority.
package machineset
