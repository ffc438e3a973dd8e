package hypervisor

import (
	"net/netip"
)

// Survey holds the answers of a hypervisor about the machines of a stack, before anything is
// changed. Each part is asked for by itself, so that one which cannot be seen hides no other.
type Survey struct {
	Node     NodeFacts
	Storages []StorageFacts
	Network  NetworkFacts
	// Template says what is wrong with the template; nil if nothing is, or if there is no template.
	Template error
	// TemplateGiB is the size of the template's disk.
	TemplateGiB int
	// Machines are in the order of the Specs.
	Machines []MachineFacts
}

// NodeFacts is the hypervisor itself.
type NodeFacts struct {
	// Fault says why it could not be asked. The rest is empty then.
	Fault error
	// CPUs is the number of its processors; FreeMiB is the memory that programs can still get.
	CPUs, FreeMiB int
	// Release is that of Proxmox VE, and Name the node's name there.
	Release, Name string
	// Quorate is false on a node of a cluster that lost its majority: nothing can be changed on it.
	// Always true with libvirt.
	Quorate bool
	// Virtual says why machines of the configured type cannot run; nil when they can.
	Virtual error
}

// StorageFacts is one storage that machines need.
type StorageFacts struct {
	// Key is the configuration's key, Name its value.
	Key, Name string
	// Fault says why it could not be asked.
	Fault error
	// There is false when the hypervisor has no storage of the name, Active when it does not run.
	There, Active bool
	// Others are the storages that could be meant.
	Others []string
	// Lacks says which content the storage cannot hold, with the expected and the found; empty if
	// it can hold all.
	Lacks string
	// FreeGiB is its room. Disks is true when the machines' disks are on it, and not only their
	// small seeds.
	FreeGiB float64
	Disks   bool
}

// NetworkFacts is the network or bridge that machines are attached to.
type NetworkFacts struct {
	Key, Name     string
	Fault         error
	There, Active bool
	Others        []string
	// DHCP describes the hypervisor's own DHCP server on the network; nil when it has none there.
	DHCP *DHCPFacts
}

// DHCPFacts is a DHCP server's view of a network.
type DHCPFacts struct {
	// Ranges are the first and last address of what it gives to any client.
	Ranges [][2]netip.Addr
	// Reserved and Leased are hardware addresses by IP address.
	Reserved, Leased map[netip.Addr]string
}

// MachineFacts describes one machine in a Survey.
type MachineFacts struct {
	// Fault is a ForeignError, or why the machine could not be searched for.
	Fault error
	// Whole is true when there is a machine of the stack's own; the sizes are its own then.
	Whole, Running           bool
	CPUs, MemoryMiB, DiskGiB int
}

// Facts describes a machine as its hypervisor sees it.
type Facts struct {
	Exists bool `json:"exists"`
	// Running is true while the machine's processors run; Power is the hypervisor's own word, with
	// its reason.
	Running bool   `json:"running"`
	Power   string `json:"power,omitempty"`
	// Addresses are those that the machine has, as far as the hypervisor knows; only asked for with
	// DHCP.
	Addresses []string `json:"addresses,omitempty"`
	// Agent says why the guest's agent did not answer.
	Agent string `json:"agent,omitempty"`
	// Console is the end of what the machine printed on its console.
	Console string `json:"console,omitempty"`
}
