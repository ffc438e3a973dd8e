package lifecycle

import (
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/libvirt"
	"strata/internal/hypervisor/proxmox"
)

// newDriver is the Spec's driver on a hypervisor.
func newDriver(host vm.Host, spec vm.Spec) driver.Driver {
	if spec.Driver == "proxmox" {
		return proxmox.New(host, spec)
	}
	return libvirt.New(host, spec)
}
