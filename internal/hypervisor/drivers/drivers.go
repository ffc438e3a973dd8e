// Package drivers chooses the driver of a machine.
package drivers

import (
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/libvirt"
	"strata/internal/hypervisor/proxmox"
)

// New returns the Spec's driver on a hypervisor.
func New(host hypervisor.Host, spec hypervisor.Spec) driver.Driver {
	if spec.Driver == "proxmox" {
		return proxmox.New(host, spec)
	}
	return libvirt.New(host, spec)
}
