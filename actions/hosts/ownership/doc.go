// Package ownership changes the owners of hosts and virtual machines for a person
// (docs/host-ownership.md): it clears a mark, or makes a stack the owner.
//
// It goes through several hosts and reports each. The marks are those of packages k3shost and
// hypervisor, which also decide the owner.
//
// A host that fails does not hold up the others. K3s on a host and the machine itself keep running.
package ownership
