// Package ownership changes the owners of hosts and virtual machines at a user's request
// (docs/host-ownership.md): it clears a mark, or makes a stack the owner.
//
// It goes through several hosts and reports each. Packages k3shost and hypervisor own the marks,
// and also decide the owner.
//
// A host that fails does not hold up the others. K3s on a host and the machine itself keep
// running.
package ownership
