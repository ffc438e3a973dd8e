// Package libvirt owns driver libvirt: a machine as a domain with volumes in a pool, by virsh on
// the hypervisor.
//
// It does not own when a machine is made or removed (lifecycle), nor what is in its seed.
//
// Guarantees: the mark is in the domain's metadata, which is defined before the volumes and goes
// after them; a domain or volume without the Spec's mark is never changed or removed.
package libvirt
