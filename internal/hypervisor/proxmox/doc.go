// Package proxmox owns driver proxmox: a machine as a VM of Proxmox VE, by qm, pvesh and pvesm on a
// node.
//
// It does not decide when a machine is made or removed (lifecycle), and does not own its seed's
// content.
//
// Guarantees: the mark is in the VM's description, beside people's notes, from its creation until
// its removal. A VM without the Spec's mark is never changed or removed, and neither are others'
// disks under its number.
package proxmox
