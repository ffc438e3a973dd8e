// Package ownership changes the owner marks of hosts and virtual machines at a user's request
// (docs/host-ownership.md): it clears a mark, or makes a stack the owner.
//
// It handles several hosts and reports each; a host that fails does not stop the others. K3s on a
// host and the machine itself keep running. The marks are defined in packages k3shost and
// hypervisor.
package ownership
