// Package libvirt owns driver libvirt: a machine as a domain with volumes in a pool, by virsh on
// the hypervisor.
//
// It does not own when a machine is made or removed (lifecycle), nor the content of its seed.
//
// Guarantees: the mark is in the domain's metadata. The domain is defined before the volumes and
// removed after them. A domain or volume without the Spec's mark is never changed or removed.
package libvirt
