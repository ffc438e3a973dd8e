// Package libvirt owns driver libvirt: a machine as a domain with volumes in a pool, by virsh on
// the hypervisor.
//
// It does not decide when a machine is made or removed (lifecycle), and does not own its seed's
// content.
//
// Guarantees: the mark is in the domain's metadata. The domain is defined before its volumes and
// removed after them. A domain without the Spec's mark is never changed or removed, and neither are
// its volumes.
package libvirt
