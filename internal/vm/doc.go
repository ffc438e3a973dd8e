// Package vm owns the virtual machines of drivers libvirt and proxmox: their disk, cloud-init seed, definition, power and removal,
// and `strata vm` is its command line. It drives the hypervisor's own commands (virsh; qm, pvesh and pvesm), on this machine or
// over one SSH connection whose host key is pinned (docs/adr/0010).
//
// A machine carries the mark of its stack from its first moment, and nothing without this stack's mark is ever changed or removed.
// The mark says "making" until the machine is whole, so that what an interrupted creation left is known and made anew.
//
// It does not wait for a boot: a machine that does not come up must be in the state to be looked at and destroyed. The gates wait.
package vm
