package lifecycle

import (
	"strata/internal/vm"
	"strata/internal/vm/driver"
	"strata/internal/vm/libvirt"
	"strata/internal/vm/proxmox"
)

// newDriver is the Spec's driver on a hypervisor.
func newDriver(host vm.Host, spec vm.Spec) driver.Driver {
	if spec.Driver == "proxmox" {
		return proxmox.New(host, spec)
	}
	return libvirt.New(host, spec)
}
