package vm

// newDriver is the Spec's driver on a hypervisor.
func newDriver(host Host, spec Spec) driver {
	if spec.Driver == "proxmox" {
		return newProxmox(host, spec)
	}
	return newLibvirt(host, spec)
}
