package config

import "net/netip"

// Hypervisor is the host that runs the virtual machines, and how it is reached.
type Hypervisor struct {
	// Address is its IP address or DNS name. Required for driver proxmox; for driver libvirt, the
	// default is this machine.
	Address string `json:"address,omitempty"`
	// User is the name of the login. This user must be able to use sudo without a password. Default
	// root.
	User string `json:"user,omitempty"`
	// Port is sshd's TCP port. Default 22.
	Port int `json:"port,omitempty"`
	// KeyFile is the private key's path, as in hosts.ssh.keyFile. Default ~/.ssh/id_ed25519.
	KeyFile string `json:"keyFile,omitempty"`
	// HostKey pins the hypervisor's public key, in authorized_keys form. Default: the key from one
	// bounded first contact.
	HostKey string `json:"hostKey,omitempty"`
}

// Size overrides the size in hosts.vm for one virtual machine.
type Size struct {
	// CPUs is the number of virtual processors. Default: hosts.vm.cpus.
	CPUs int `json:"cpus,omitempty"`
	// MemoryMiB is the memory in MiB. Default: hosts.vm.memoryMiB.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// DiskGiB is the disk's size in GiB. Default: hosts.vm.diskGiB.
	DiskGiB int `json:"diskGiB,omitempty"`
	// ID is the VM's number on Proxmox VE, 100 to 999999999. Default: the next free one. Driver
	// libvirt does not read it.
	ID int `json:"id,omitempty"`
}

// VM configures all virtual machines of a stack. Processors, memory and a larger disk are changed
// in place. For the first two, the machines restart one at a time. The settings of cloud-init hold
// for new machines only.
type VM struct {
	// CPUs is the number of virtual processors. Default 2.
	CPUs int `json:"cpus,omitempty"`
	// MemoryMiB is the memory in MiB. Default 4096.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// DiskGiB is the disk's size in GiB; it can grow, never shrink. Default 20.
	DiskGiB int `json:"diskGiB,omitempty"`
	// Image is the URL of the disk image that the machines start from, a qcow2 with cloud-init;
	// `strata fetch` locks its sum. It is only read if artifacts.machineImage is upstream: a bundle
	// has its own image.
	Image string `json:"image,omitempty"`
	// DHCP makes the machines request their addresses. The network must then reserve a node's
	// address for its MAC address, because K3s cannot change a node's address. Default false: the
	// machines set their addresses themselves.
	DHCP bool `json:"dhcp,omitempty"`
	// Gateway is the default route's address. Default: the subnet's first address.
	Gateway netip.Addr `json:"gateway,omitzero"`
	// DNS are the name servers. Default: Gateway.
	DNS []netip.Addr `json:"dns,omitempty"`
	// AuthorizedKeys may log in besides the key that Strata generates, in authorized_keys form.
	AuthorizedKeys []string `json:"authorizedKeys,omitempty"`
	// Packages are installed at the first boot, from where the image gets its packages.
	Packages []string `json:"packages,omitempty"`
	// Modules are kernel modules that are loaded at every boot. Default br_netfilter, overlay.
	Modules []string `json:"modules,omitempty"`
	// Sysctls are kernel settings that are made at every boot.
	Sysctls map[string]string `json:"sysctls,omitempty"`
	// Protect refuses to delete or replace the machines until it is false again.
	Protect bool `json:"protect,omitempty"`
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
