package hypervisor

import (
	"strconv"
)

// FixedProperties returns the properties that are fixed when the machine is made: configuration
// keys below strata: and their values. It leaves out the login at the hypervisor. It also leaves
// out the image and template, which only affect new machines.
func (s Spec) FixedProperties() map[string]string {
	made := map[string]string{
		"hosts.driver":          s.Driver,
		"hosts.nodes[].address": s.Guest.Address.String(), "hosts.nodes[].vm.id": orNone(s.ID),
		"hosts.vm.dhcp": strconv.FormatBool(s.Guest.DHCP), "hosts.vm.gateway": "",
		"hosts.ssh.user": s.Guest.User, "hosts.ssh.port": strconv.Itoa(s.Guest.Port),
	}
	if s.Guest.Gateway.IsValid() {
		made["hosts.vm.gateway"] = s.Guest.Gateway.String()
	}
	if l := s.Libvirt; l != nil {
		made["hosts.libvirt.pool"], made["hosts.libvirt.bridge"],
			made["hosts.libvirt.network"] = l.Pool, l.Bridge,
			l.Network
		made["hosts.libvirt.type"], made["hosts.arch"] = l.Type, l.Arch
	}
	if p := s.Proxmox; p != nil {
		made["hosts.proxmox.storage"], made["hosts.proxmox.seedStorage"] = p.Storage, p.SeedStorage
		made["hosts.proxmox.bridge"], made["hosts.proxmox.vlan"] = p.Bridge, orNone(p.VLAN)
	}
	return made
}

// orNone formats a number. It returns an empty text for 0.
func orNone(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
