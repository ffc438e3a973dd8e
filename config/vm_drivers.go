package config

import (
	"slices"
	"strconv"
	"strings"
)

// Hypervisor is the host that runs the virtual machines, with its SSH login.
type Hypervisor struct {
	// Address is the hypervisor's IP address or DNS name. Required for driver proxmox; for driver
	// libvirt, the default is this machine.
	Address string `json:"address,omitempty"`
	// User is the name of the login. This user must be able to use sudo without a password. Default
	// root.
	User string `json:"user,omitempty"`
	// Port is sshd's TCP port. Default 22.
	Port int `json:"port,omitempty"`
	// KeyFile is the private key's path, as in hosts.ssh.keyFile. Default ~/.ssh/id_ed25519.
	KeyFile string `json:"keyFile,omitempty" plain:"true"`
	// HostKey pins the hypervisor's public key, in authorized_keys form. Default: the key that the
	// hypervisor shows at the first connection.
	HostKey string `json:"hostKey,omitempty" plain:"true"`
}

// Libvirt configures driver libvirt.
type Libvirt struct {
	// URI is the address by which libvirt is reached on the hypervisor. Default qemu:///system.
	URI string `json:"uri,omitempty"`
	// Pool is the storage pool that holds the disks. Default default.
	Pool string `json:"pool,omitempty"`
	// Bridge is the bridge on the hypervisor that the machines are attached to. Set this or
	// Network.
	Bridge string `json:"bridge,omitempty"`
	// Network is the libvirt network that the machines are attached to. Default: the one called
	// default, if Bridge is not set.
	Network string `json:"network,omitempty"`
	// Type is kvm, or qemu for a hypervisor without hardware virtualisation, which is ten to twenty
	// times slower. Default kvm.
	Type string `json:"type,omitempty" enum:"kvm,qemu"`
}

// Proxmox configures driver proxmox.
type Proxmox struct {
	// Storage holds the disks. Default local-lvm.
	Storage string `json:"storage,omitempty"`
	// SeedStorage holds the machines' cloud-init seeds; it must have content type iso and lie in a
	// folder. Default local.
	SeedStorage string `json:"seedStorage,omitempty"`
	// Bridge is the bridge on the node that the machines are attached to. Default vmbr0.
	Bridge string `json:"bridge,omitempty"`
	// VLAN is the machines' VLAN tag, 1 to 4094. Default: none.
	VLAN int `json:"vlan,omitempty"`
	// Template is the number of a template with cloud-init that the machines are cloned from, in
	// place of an image.
	Template int `json:"template,omitempty"`
}

func (c *Config) checkHypervisor(ps *problems) {
	host := c.Hosts.Hypervisor
	ps.addIf(host.Address == "" && c.Hosts.Driver == DriverProxmox,
		field("hosts.hypervisor.address"), "", "is not set", "set the address of a Proxmox VE node")
	ps.addIf(strings.ContainsAny(host.Address, "/@ "), field("hosts.hypervisor.address"),
		host.Address, "is not an address", "write the IP address or the DNS name alone")
	SSH{User: host.User, Port: host.Port, HostKey: host.HostKey}.
		check(ps, field("hosts.hypervisor"), DriverExisting, SSH{User: DefaultUser, Port: DefaultPort})
}

func checkLibvirt(ps *problems, libvirt Libvirt) {
	ps.addIf(!libvirtURI.MatchString(libvirt.URI), field("hosts.libvirt.uri"), libvirt.URI,
		"is not one of the hypervisor's own",
		"use qemu:///system; another host is hosts.hypervisor.address")
	ps.addIf(!storageName.MatchString(libvirt.Pool), field("hosts.libvirt.pool"), libvirt.Pool,
		"is not the name of a pool", "see: virsh pool-list")
	ps.addIf(libvirt.Bridge != "" && libvirt.Network != "", field("hosts.libvirt.network"),
		libvirt.Network, "is set beside hosts.libvirt.bridge", "remove one of them")
	ps.addIf(libvirt.Bridge != "" && !interfaceName.MatchString(libvirt.Bridge),
		field("hosts.libvirt.bridge"), libvirt.Bridge, "is not an interface name",
		"see: ip link show type bridge")
	ps.addIf(libvirt.Network != "" && !storageName.MatchString(libvirt.Network),
		field("hosts.libvirt.network"), libvirt.Network, "is not the name of a network",
		"see: virsh net-list")
	if known := []string{"kvm", "qemu"}; !slices.Contains(known, libvirt.Type) {
		ps.add(field("hosts.libvirt.type"), libvirt.Type, "is not a known type",
			suggestion(libvirt.Type, known))
	}
}

func checkProxmox(ps *problems, proxmox Proxmox) {
	for key, name := range map[string]string{"storage": proxmox.Storage, "seedStorage": proxmox.SeedStorage} {
		ps.addIf(!storageName.MatchString(name), field("hosts.proxmox.%s", key), name,
			"is not the name of a storage", "see: pvesm status")
	}
	ps.addIf(!interfaceName.MatchString(proxmox.Bridge), field("hosts.proxmox.bridge"),
		proxmox.Bridge, "is not an interface name", "see: ip link show type bridge")
	ps.addIf(proxmox.VLAN < 0 || proxmox.VLAN > 4094, field("hosts.proxmox.vlan"),
		strconv.Itoa(proxmox.VLAN), "is no VLAN tag", "use 1 to 4094")
	if id := proxmox.Template; id != 0 && (id < 100 || id > 999999999) {
		ps.add(field("hosts.proxmox.template"), strconv.Itoa(id), "is no VM number of Proxmox VE",
			"use 100 to 999999999")
	}
}
