// Package hypervisor describes a virtual machine of drivers libvirt and proxmox: its Spec, its
// owner's mark, and its facts. It also connects to the hypervisor, which is this machine or one
// over SSH with a pinned host key (docs/adr/0010).
//
// It does not own the operations on machines (actions/machines/lifecycle, and packages driver and
// seed). So code that describes a machine or checks its facts imports no operations.
//
// Guarantees: a machine has the mark of its stack from its creation. The mark's state is "making"
// until the machine is complete, so that the next run recognizes an interrupted creation and
// recreates the machine. Pulumi's states and hypervisors store Specs and marks, so their fields and
// words must not change.
package hypervisor
