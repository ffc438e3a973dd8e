package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Driver selects how the hosts are provided.
type Driver string

const (
	// DriverExisting uses existing hosts that are reachable over SSH.
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
	// Hypervisor is the host that runs the virtual machines of drivers libvirt and proxmox.
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

// interfaceName matches Linux's interface names (IFNAMSIZ is 16 with the final zero), without
// unusual characters.
var interfaceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,14}$`)

// userName matches user names in the strict form of useradd(8). loginName matches names that ssh
// accepts, including those of directory services, such as john.doe, CORP\anna and
// anna@corp.example.
var (
	userName  = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)
	loginName = regexp.MustCompile(`^[\pL\pN_]([\pL\pN_.@+$\\-]*[\pL\pN_.@+$-])?$`)
)

// LoginNameFix is the fix for a name that IsLoginName refuses.
const LoginNameFix = `use letters, digits and _ - . @ + $ \`

// IsLoginName reports whether name can be hosts.ssh.user with driver existing.
func IsLoginName(name string) bool { return loginName.MatchString(name) }

// smallestSubnet is the longest prefix with room for a gateway, three nodes and a load balancer
// address.
const smallestSubnet = 29

func (c *Config) checkHosts(ps *problems) {
	hosts := c.Hosts
	switch hosts.Driver {
	case DriverExisting:
	case DriverLibvirt, DriverProxmox:
		c.checkVMs(ps)
	case "":
		ps.add(field("hosts.driver"), "", "is not set",
			"set "+strings.Join(Drivers, ", ")+
				"; or name a cluster that is there already: cluster.context")
	default:
		ps.add(field("hosts.driver"), string(hosts.Driver), "is not a known driver",
			suggestion(string(hosts.Driver), Drivers))
	}
	if slices.Contains(Drivers, string(hosts.Driver)) {
		checkOthersUnset(ps, hosts)
	}
	if arch := hosts.Arch; arch != "" && !slices.Contains(Architectures, arch) {
		ps.add(field("hosts.arch"), arch, "is not an architecture that K3s is fetched for",
			suggestion(arch, Architectures))
	}
	c.checkSubnet(ps)
	c.checkSSH(ps)
}

func (c *Config) checkSubnet(ps *problems) {
	subnet := c.Hosts.Subnet
	key := field("hosts.subnet")
	if !subnet.IsValid() {
		ps.add(key, "", "is not set", "set the network of the nodes and the load balancer, for example 10.10.0.0/24")
		return
	}
	checkNetwork(ps, key, subnet)
	ps.addIf(subnet.Addr().Is4() && subnet.Bits() > smallestSubnet, key, subnet.String(),
		"is too small", "use /29 or larger")
}

// checkNetwork applies the rules that hold for every network in the configuration.
func checkNetwork(ps *problems, key string, network netip.Prefix) {
	ps.addIf(!network.Addr().Is4(), key, network.String(),
		"is not IPv4: the gates count IPv4 addresses", "use an IPv4 network")
	ps.addIf(network != network.Masked(), key, network.String(), "has bits set behind its prefix",
		"write "+network.Masked().String())
}

func checkHostKey(ps *problems, key, text string) {
	_, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	ps.addIf(err != nil || len(strings.TrimSpace(string(rest))) > 0, key, "",
		"is not one public key", "copy one line of the host's /etc/ssh/ssh_host_ed25519_key.pub")
}

// usable reports whether a host can have the address in a network.
func usable(network netip.Prefix, address netip.Addr) bool {
	all := RangeOf(network)
	return network.Contains(address) && address != all.First && address != all.Last
}

// checkVIP reports a virtual IP address of the API that is outside hosts.subnet or in use already.
func (c *Config) checkVIP(ps *problems) {
	vip, key := c.K3s.VIP, field("k3s.vip")
	if !vip.IsValid() {
		return
	}
	if subnet := c.Hosts.Subnet; subnet.IsValid() {
		all := RangeOf(subnet)
		ps.addIf(!all.Contains(vip) || vip == all.First || vip == all.Last, key, vip.String(),
			"is no host's address in hosts.subnet "+subnet.String(),
			"choose a free address inside it")
	}
	taken := func(what string) {
		ps.add(key, vip.String(), "is "+what,
			"choose an address that nothing else uses")
	}
	for _, node := range c.Hosts.Nodes {
		if node.Address == vip {
			taken("node " + node.Name + "'s own")
		}
	}
	if c.Hosts.VM.Gateway == vip {
		taken("hosts.vm.gateway")
	}
	for i, text := range c.MetalLB.Addresses {
		if pool, err := ParseRange(text); err == nil && pool.Contains(vip) {
			taken(fmt.Sprintf("in metallb.addresses[%d] %s", i, text))
		}
	}
}
