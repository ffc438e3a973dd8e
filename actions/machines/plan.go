// Package machines derives virtual machines from a configuration. Package lifecycle creates and
// changes them.
package machines

import (
	"net/netip"

	"strata/config"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// Hypervisor is the name of a remote hypervisor in messages.
const Hypervisor = "hypervisor"

// SpecOf returns the Spec of a node's machine from the configuration, without the values that are
// known later: timeouts, the hypervisor's host key, the authorized keys and the image.
func SpecOf(hosts config.Hosts, stack string, node config.Node) hypervisor.Spec {
	spec := hypervisor.Spec{
		Driver: string(hosts.Driver), Stack: stack, Node: node.Name,
		Hypervisor: targetOf(hosts.Hypervisor),
		CPUs:       node.VM.CPUs, MemoryMiB: node.VM.MemoryMiB, DiskGiB: node.VM.DiskGiB,
		ID: node.VM.ID,
		Guest: hypervisor.Guest{
			Address: netip.PrefixFrom(node.Address, hosts.Subnet.Bits()), DHCP: hosts.VM.DHCP,
			Gateway: hosts.VM.Gateway, DNS: hosts.VM.DNS,
			User: node.SSH.User, Port: node.SSH.Port, Packages: hosts.VM.Packages,
			Modules: hosts.VM.Modules, Sysctls: hosts.VM.Sysctls,
		},
	}
	if hosts.Driver == config.DriverProxmox {
		p := hosts.Proxmox
		spec.Proxmox = &hypervisor.Proxmox{Storage: p.Storage, SeedStorage: p.SeedStorage,
			Bridge: p.Bridge, VLAN: p.VLAN, Template: p.Template}
	} else {
		l := hosts.Libvirt
		spec.Libvirt = &hypervisor.Libvirt{URI: l.URI, Pool: l.Pool, Bridge: l.Bridge,
			Network: l.Network, Type: l.Type, Arch: hosts.Arch}
	}
	return spec
}

// targetOf returns the SSH target of the hypervisor, without its host key; the zero value if the
// hypervisor is this machine.
func targetOf(at config.Hypervisor) remote.Target {
	if at.Address == "" {
		return remote.Target{}
	}
	return remote.Target{Name: Hypervisor, Address: at.Address, Port: at.Port, User: at.User}
}
