package hypervisor

import (
	"net/netip"
)

// Survey holds a hypervisor's facts about the machines of a stack, before any change. Each part is
// read separately, so that the failure of one does not hide the others.
type Survey struct {
	Node     NodeFacts
	Storages []StorageFacts
	Network  NetworkFacts
	// Template is the problem with the template; nil if there is no problem or no template.
	Template error
	// TemplateGiB is the size of the template's disk.
	TemplateGiB int
	// Machines are in the order of the Specs.
	Machines []MachineFacts
}

// NodeFacts describes the hypervisor itself.
type NodeFacts struct {
	// Fault is the reason why the hypervisor did not answer. The other fields are empty then.
	Fault error
	// CPUs is the number of processors, and FreeMiB the memory that programs can still allocate.
	CPUs, FreeMiB int
	// Release is the version of Proxmox VE, and Name the node's name there.
	Release, Name string
	// Quorate is false on a node of a cluster that lost its majority: such a node accepts no
	// change. It is always true with libvirt.
	Quorate bool
	// Virtual is the reason why machines of the configured type cannot run; nil if they can.
	Virtual error
}

// StorageFacts describes a storage that machines need.
type StorageFacts struct {
	// Key is the configuration key that names the storage, and Name its value.
	Key, Name string
	// Fault is the reason why the storage could not be read; nil if it was.
	Fault error
	// There is true if the hypervisor has the storage, and Active if the storage is running.
	There, Active bool
	// Others are the names of existing storages that the user may have meant.
	Others []string
	// Lacks describes a content type, such as images, that the machines need and the storage does
	// not allow; empty if the storage allows all types that they need.
	Lacks string
	// FreeGiB is the storage's free space. Disks is true if the machines' disks are on this
	// storage, and false if it only has their seeds.
	FreeGiB float64
	Disks   bool
}

// NetworkFacts describes the network or bridge of the machines.
type NetworkFacts struct {
	Key, Name     string
	Fault         error
	There, Active bool
	Others        []string
	// DHCP describes the hypervisor's own DHCP server on the network; nil if it has none there.
	DHCP *DHCPFacts
}

// DHCPFacts describes a network as its DHCP server sees it.
type DHCPFacts struct {
	// Ranges are the address ranges for clients without a reservation, each as first and last
	// address.
	Ranges [][2]netip.Addr
	// Reserved and Leased map IP addresses to hardware addresses.
	Reserved, Leased map[netip.Addr]string
}

// MachineFacts describes one machine in a Survey.
type MachineFacts struct {
	// Fault is a ForeignError if the machine has another owner, or the error of the search for the
	// machine.
	Fault error
	// Whole is true if a complete machine of the stack exists. The other fields are then those of
	// that machine.
	Whole, Running           bool
	CPUs, MemoryMiB, DiskGiB int
}

// Facts describes a machine as its hypervisor sees it.
type Facts struct {
	Exists bool `json:"exists"`
	// Running is true while the machine's processors run. Power is the hypervisor's own name for
	// the state, with its reason.
	Running bool   `json:"running"`
	Power   string `json:"power,omitempty"`
	// Addresses are the machine's addresses that the hypervisor knows. They are only read if the
	// machine uses DHCP.
	Addresses []string `json:"addresses,omitempty"`
	// Agent is the reason why the guest's agent did not answer.
	Agent string `json:"agent,omitempty"`
	// Console is the end of the machine's console output.
	Console string `json:"console,omitempty"`
}
