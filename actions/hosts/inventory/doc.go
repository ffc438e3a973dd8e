// Package inventory lists the parts of a stack from its file and its state: hosts with their SSH
// logins, virtual machines with their hypervisor, gates with their secrets, and the owner.
//
// Commands use it to find a host or machine outside of an update. The state's format is in package
// stackstate, the resources in package components.
//
// It changes nothing on this machine or a host. Keys stay in memory, and no error quotes one.
package inventory
