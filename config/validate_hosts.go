package config

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"k8s.io/apimachinery/pkg/util/validation"
)

// interfaceName matches Linux's interface names (IFNAMSIZ is 16 with the final zero), without
// unusual characters.
var interfaceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,14}$`)

// userName matches user names in the strict form of useradd(8).
var userName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)

// IsUserName reports whether name can be hosts.ssh.user.
func IsUserName(name string) bool { return userName.MatchString(name) }

// smallestSubnet has room for a gateway, three nodes and a load balancer address.
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
		checkGeneratedKeys(ps, hosts)
	}
	if arch := hosts.Arch; arch != "" && !slices.Contains(Architectures, arch) {
		ps.add(field("hosts.arch"), arch, "is not an architecture that K3s is fetched for",
			suggestion(arch, Architectures))
	}
	c.checkSubnet(ps)
	checkSSH(ps, field("hosts.ssh"), hosts.SSH)
	c.checkWay(ps)
}

// checkGeneratedKeys refuses SSH settings that are not read, because Strata makes the keys of the
// hosts that it makes.
func checkGeneratedKeys(ps *problems, hosts Hosts) {
	if hosts.Driver == DriverExisting {
		return
	}
	who := "is not read: driver " + string(hosts.Driver) + " generates "
	if hosts.SSH.KeyFile != "" {
		ps.add(field("hosts.ssh.keyFile"), hosts.SSH.KeyFile, who+"its own key", "remove it")
	}
	if hosts.SSH.HostKey != "" {
		ps.add(field("hosts.ssh.hostKey"), "", who+"the host keys", "remove it")
	}
}

func (c *Config) checkSubnet(ps *problems) {
	subnet := c.Hosts.Subnet
	key := field("hosts.subnet")
	if !subnet.IsValid() {
		ps.add(key, "", "is not set", "set the network of the nodes and the load balancer, for example 10.10.0.0/24")
		return
	}
	checkNetwork(ps, key, subnet)
	if subnet.Addr().Is4() && subnet.Bits() > smallestSubnet {
		ps.add(key, subnet.String(), "is too small", "use /29 or larger")
	}
}

// checkNetwork applies the rules that hold for every network in the configuration.
func checkNetwork(ps *problems, key string, network netip.Prefix) {
	if !network.Addr().Is4() {
		ps.add(key, network.String(), "is not IPv4: the gates count IPv4 addresses",
			"use an IPv4 network")
	}
	if network != network.Masked() {
		ps.add(key, network.String(), "has bits set behind its prefix",
			"write "+network.Masked().String())
	}
}

func checkSSH(ps *problems, key string, ssh SSH) {
	later := ssh.Config != "" // fills in what is not set
	if (ssh.Port < 1 || ssh.Port > 65535) && (ssh.Port != 0 || !later) {
		ps.add(key+".port", strconv.Itoa(ssh.Port), "is not a TCP port", "use 1 to 65535")
	}
	if !userName.MatchString(ssh.User) && (ssh.User != "" || !later) {
		ps.add(key+".user", ssh.User, "is not a user name",
			"use lower case letters, digits, dashes and underscores")
	}
	if ssh.HostKey != "" {
		checkHostKey(ps, key+".hostKey", ssh.HostKey)
	}
}

func checkHostKey(ps *problems, key, text string) {
	_, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil || len(strings.TrimSpace(string(rest))) > 0 {
		ps.add(key, "", "is not one public key",
			"copy one line of the host's /etc/ssh/ssh_host_ed25519_key.pub")
	}
}

// usable reports whether a host can have the address in a network.
func usable(network netip.Prefix, address netip.Addr) bool {
	all := RangeOf(network)
	return network.Contains(address) && address != all.First && address != all.Last
}

func (c *Config) checkNodes(ps *problems) {
	servers := 0
	names, addresses := map[string]int{}, map[netip.Addr]int{}
	for i, node := range c.Hosts.Nodes {
		key := field("hosts.nodes[%d]", i)
		checkNodeName(ps, key+".name", node.Name, names, i)
		c.checkNodeAddress(ps, key+".address", node.Address, addresses, i)
		checkRole(ps, key+".role", node.Role)
		c.checkNodeSSH(ps, key+".ssh", node.SSH)
		if node.Recreate != "" && c.Hosts.Driver == DriverExisting {
			ps.add(key+".recreate", node.Recreate,
				"is for machines that Strata makes, and driver existing makes none", "remove it")
		}
		checkLabels(ps, key+".labels", node.Labels)
		checkTaints(ps, key+".taints", node.Taints)
		if node.Role == RoleServer {
			servers++
		}
	}
	switch {
	case len(c.Hosts.Nodes) == 0:
		ps.add(field("hosts.nodes"), "", "is empty", "add at least one node with role: server")
	case servers == 0:
		ps.add(field("hosts.nodes"), "", "has no server", "give one node role: server")
	case servers%2 == 0:
		ps.add(field("hosts.nodes"), "",
			fmt.Sprintf("has %d servers, and etcd needs an odd number for its quorum", servers),
			fmt.Sprintf("use %d or %d", servers-1, servers+1))
	}
}

func checkNodeName(ps *problems, key, name string, seen map[string]int, index int) {
	if name == "" {
		ps.add(key, "", "is not set", "give the node a unique name")
		return
	}
	if len(validation.IsDNS1123Label(name)) > 0 {
		ps.add(key, name, "is not a DNS label",
			"use at most 63 lower case letters, digits and dashes, with a letter or digit at both ends")
	}
	if first, duplicate := seen[name]; duplicate {
		ps.add(key, name, fmt.Sprintf("is also the name of hosts.nodes[%d]", first),
			"give each node its own name")
		return
	}
	seen[name] = index
}

func (c *Config) checkNodeAddress(
	ps *problems, key string, address netip.Addr, seen map[netip.Addr]int, index int,
) {
	subnet := c.Hosts.Subnet
	gateway := c.Hosts.VM.Gateway
	switch {
	case !address.IsValid():
		ps.add(key, "", "is not set", "give the node's address in hosts.subnet")
		return
	case subnet.IsValid() && !usable(subnet, address):
		ps.add(key, address.String(), "is not a host address of hosts.subnet "+subnet.String(),
			"use an address inside it, neither the first nor the last")
	case gateway.IsValid() && address == gateway:
		ps.add(key, address.String(), "is the gateway's address, hosts.vm.gateway",
			"give the node another address")
	}
	if first, duplicate := seen[address]; duplicate {
		ps.add(key, address.String(), fmt.Sprintf("is also the address of hosts.nodes[%d]", first),
			"give each node its own address")
		return
	}
	seen[address] = index
}

func checkRole(ps *problems, key string, role Role) {
	known := []string{string(RoleServer), string(RoleAgent)}
	switch role {
	case RoleServer, RoleAgent:
	case "":
		ps.add(key, "", "is not set", "set server or agent")
	default:
		ps.add(key, string(role), "is not a known role", suggestion(string(role), known))
	}
}

// checkNodeSSH checks only the node's own values. The other values come from hosts.ssh, and are
// reported there.
func (c *Config) checkNodeSSH(ps *problems, key string, ssh SSH) {
	own := ssh
	if ssh.Port == c.Hosts.SSH.Port {
		own.Port = 22
	}
	if ssh.User == c.Hosts.SSH.User {
		own.User = "root"
	}
	if ssh.HostKey == c.Hosts.SSH.HostKey {
		own.HostKey = ""
	}
	checkSSH(ps, key, own)
	if c.Hosts.Driver != DriverExisting && ssh.KeyFile != c.Hosts.SSH.KeyFile {
		ps.add(key+".keyFile", ssh.KeyFile,
			"is not read: driver "+string(c.Hosts.Driver)+" generates its own key", "remove it")
	}
}
