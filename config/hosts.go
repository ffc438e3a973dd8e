package config

import "net/netip"

// Driver is the way in which the hosts are provided.
type Driver string

const (
	// DriverExisting takes hosts that are already there and reachable over SSH.
	DriverExisting Driver = "existing"
	// DriverLibvirt creates virtual machines with libvirt, on this machine or on a host that SSH
	// reaches.
	DriverLibvirt Driver = "libvirt"
	// DriverProxmox creates virtual machines on a Proxmox VE node that SSH reaches.
	DriverProxmox Driver = "proxmox"
)

// Drivers are all drivers.
var Drivers = []string{string(DriverExisting), string(DriverLibvirt), string(DriverProxmox)}

// MakesVMs reports whether the driver's hosts are virtual machines.
func (d Driver) MakesVMs() bool { return d == DriverLibvirt || d == DriverProxmox }

// Role is a node's part in the cluster.
type Role string

const (
	// RoleServer runs the control plane and etcd (K3s server).
	RoleServer Role = "server"
	// RoleAgent runs workloads only (K3s agent).
	RoleAgent Role = "agent"
)

// Unit returns the systemd unit that K3s's install script makes for the role, without .service.
func (r Role) Unit() string {
	if r == RoleServer {
		return "k3s"
	}
	return "k3s-agent"
}

// Hosts configures the hosts, and how they are reached or made.
type Hosts struct {
	// Driver is existing, libvirt or proxmox. Required.
	Driver Driver `json:"driver"`
	// Subnet holds every node address and the load balancer's addresses, as CIDR. Required.
	Subnet netip.Prefix `json:"subnet"`
	// Arch is the hosts' processor architecture, amd64 or arm64; it selects the binaries. Default
	// amd64.
	Arch string `json:"arch,omitempty" enum:"amd64,arm64"`
	// SSH holds the defaults of every host's connection.
	SSH SSH `json:"ssh"`
	// Hypervisor makes the virtual machines of drivers libvirt and proxmox.
	Hypervisor Hypervisor `json:"hypervisor"`
	// VM configures all virtual machines of drivers libvirt and proxmox.
	VM VM `json:"vm"`
	// Libvirt configures driver libvirt.
	Libvirt Libvirt `json:"libvirt"`
	// Proxmox configures driver proxmox.
	Proxmox Proxmox `json:"proxmox"`
	// Nodes are the hosts in order; the first server bootstraps the cluster.
	Nodes []Node `json:"nodes"`
}

// Node is one host of the cluster.
type Node struct {
	// Name is the node's name in Kubernetes and, where Strata makes the host, the host name.
	// Required, unique.
	Name string `json:"name"`
	// Role is server or agent. Required.
	Role Role `json:"role"`
	// Address is the node's IP address in hosts.subnet. Required, unique.
	Address netip.Addr `json:"address"`
	// SSH overrides hosts.ssh for this host.
	SSH SSH `json:"ssh"`
	// VM overrides the size in hosts.vm for this host.
	VM Size `json:"vm"`
	// Labels are set on the Node at its registration, and by the next update when they change. A
	// label that is removed here is removed there, unless it has another value by then. Other
	// labels stay.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints are set on the Node in the same way as labels. Their form is key=value:Effect.
	Taints []string `json:"taints,omitempty"`
	// Recreate is consent to recreate this node's machine once, with the loss of everything on it.
	// It is any word that was not used before. Only for drivers that make machines. Default: the
	// machine stays, whatever changes.
	Recreate string `json:"recreate,omitempty"`
}
