// Package inventory says what a stack consists of, as its file and its state have it: hosts and how
// to log in to them, virtual machines and their hypervisor, gates with their secrets, and whose all
// that is.
//
// It owns the way from a node of the configuration to a host or a machine, outside of an up, and
// where the state has the cluster's identity. It does not own the state's form (package
// stackstate), what a resource makes of the configuration (package components), nor what is done to
// a host or a machine.
//
// It changes nothing, neither here nor there. Keys stay in memory, and no error quotes one.
package inventory
