// Package hypervisor owns what a virtual machine of drivers libvirt and proxmox is: its Spec, the mark that
// says whose it is, what is known of it, and the way to its hypervisor, which is this machine or
// one over SSH whose host key is pinned (docs/adr/0010).
//
// It does not own what is done with machines (lifecycle, below which are the drivers and the seed).
// So who describes a machine or judges what is known of one imports no work.
//
// Guarantees: a machine carries the mark of its stack from its first moment; the mark says "making"
// until the machine is whole, so that what an interrupted creation left is known and made anew.
// Specs and marks stand in states and on hypervisors: their fields and words stay.
package hypervisor
