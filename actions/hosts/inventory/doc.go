// Package inventory lists the parts of a stack from its file and its state: hosts and how to log in
// to them, virtual machines and their hypervisor, gates with their secrets, and their owner.
//
// It finds the host or machine of a configured node outside of an update, and the cluster's
// identity in the state. It does not own the state's form (package stackstate), the resources of
// the configuration (package components), nor the changes of a host or a machine.
//
// It changes nothing, neither on this machine nor on a host. Keys stay in memory, and no error
// quotes one.
package inventory
