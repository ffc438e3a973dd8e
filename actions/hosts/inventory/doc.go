// Package inventory lists the parts of a stack from its file and its state: hosts and how to log in
// to them, virtual machines and their hypervisor, gates with their secrets, and their owner.
//
// It owns the way from a node of the configuration to a host or a machine, outside of an update,
// and the place of the cluster's identity in the state. It does not own the state's form (package
// stackstate), the resources of the configuration (package components), nor the changes of a host
// or a machine.
//
// It changes nothing, neither here nor there. Keys stay in memory, and no error quotes one.
package inventory
