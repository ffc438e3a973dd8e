// Package proxmox owns driver proxmox: a machine as a VM of Proxmox VE, by qm, pvesh and pvesm on a
// node.
//
// It does not own when a machine is made or removed (lifecycle), nor what is in its seed.
//
// Guarantees: the mark is in the VM's description from its creation until it is destroyed, beside
// what people wrote there; a VM without the Spec's mark is never changed or removed, and neither
// are disks that others left under its number.
package proxmox
