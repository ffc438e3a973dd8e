package scaffold

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"strata/health/host"
)

// factsScript prints the input of parseFacts.
//
//go:embed facts.sh
var factsScript string

// Facts holds the facts that a host reports about itself.
type Facts struct {
	// OS is the full name of its operating system, with the version.
	OS string
	// Arch is the machine's architecture, as uname -m prints it.
	Arch string
	// Hostname is the kernel's host name.
	Hostname string
	// CPUs is the number of processors that are online.
	CPUs int
	// MemoryMiB is the total memory, and DiskMiB the free space for /var/lib/rancher.
	MemoryMiB, DiskMiB int
	// Kubernetes lists the Kubernetes distributions other than K3s that are, or were, installed on
	// the host.
	Kubernetes []string
	// Interfaces lists its IPv4 addresses, each with its interface.
	Interfaces []Interface
	// Routes lists the routes in all of its routing tables.
	Routes []Route
	// Neighbours lists the addresses of other machines in the host's neighbour (ARP) table.
	Neighbours []netip.Addr
}

// Interface is one address of a network interface.
type Interface struct {
	Name string
	// Address includes the prefix of its network.
	Address netip.Prefix
}

// Route is a route to a network.
type Route struct {
	// To is the network; 0.0.0.0/0 for the default route.
	To netip.Prefix
	// Gateway is the next hop. It is the zero Addr for the interface's own network.
	Gateway netip.Addr
	Device  string
	// Table is the routing table of the route; empty for main.
	Table string
}

// everywhere is the destination of a default route.
var everywhere = netip.PrefixFrom(netip.IPv4Unspecified(), 0)

// parseFacts parses the output of facts.sh.
func parseFacts(output string) (Facts, error) {
	block := blockOf(output)
	switch {
	case block == nil:
		return Facts{}, errors.New("what it says of itself did not arrive whole")
	case block.Get("lacks") != "":
		return Facts{}, fmt.Errorf("has no program %s; install the package iproute2",
			block.Get("lacks"))
	}
	facts := Facts{OS: block.Get("os"), Arch: block.Get("arch"), Hostname: block.Get("hostname"),
		Kubernetes: block["kubernetes"]}
	facts.CPUs = number(block, "cpus")
	facts.MemoryMiB = number(block, "memory_mib")
	facts.DiskMiB = number(block, "disk_mib")
	err := errors.Join(facts.readAddresses(block.Get("addresses")),
		facts.readRoutes(block.Get("routes")), facts.readNeighbours(block.Get("neighbours")))
	if err != nil {
		return Facts{}, fmt.Errorf("its program ip has no answer in JSON: %w; iproute2 has that since 4.14", err)
	}
	return facts, nil
}

// number returns the number of a key; 0 if it is missing.
func number(block host.Block, key string) int {
	n, err := strconv.Atoi(block.Get(key))
	if err != nil {
		return 0
	}
	return n
}

// readAddresses parses the output of `ip -j address`.
func (f *Facts) readAddresses(text string) error {
	var links []struct {
		Name      string `json:"ifname"`
		Addresses []struct {
			Local netip.Addr `json:"local"`
			Bits  int        `json:"prefixlen"`
		} `json:"addr_info"`
	}
	if err := json.Unmarshal([]byte(text), &links); err != nil {
		return fmt.Errorf("addresses: %w", err)
	}
	for _, link := range links {
		for _, one := range link.Addresses {
			if prefix := netip.PrefixFrom(one.Local, one.Bits); prefix.IsValid() {
				f.Interfaces = append(f.Interfaces, Interface{link.Name, prefix})
			}
		}
	}
	return nil
}

// ownRoutes holds the types of routes that lead to no other machine.
var ownRoutes = []string{"local", "broadcast", "multicast", "anycast"}

// readRoutes parses the output of `ip -j route`. It includes routes of blocked networks (type
// blackhole and similar), because the cluster cannot use these networks either.
func (f *Facts) readRoutes(text string) error {
	type hop struct {
		Gateway string `json:"gateway"`
		Device  string `json:"dev"`
	}
	var routes []struct {
		hop
		Type string `json:"type"`
		To   string `json:"dst"`
		Hops []hop  `json:"nexthops"`
		// ip omits the table if it is main.
		Table string `json:"table"`
	}
	if err := json.Unmarshal([]byte(text), &routes); err != nil {
		return fmt.Errorf("routes: %w", err)
	}
	for _, one := range routes {
		if one.To == "" || slices.Contains(ownRoutes, one.Type) {
			continue
		}
		to, err := parseNetwork(one.To)
		if err != nil {
			return fmt.Errorf("routes: %w", err)
		}
		via := one.hop
		if len(one.Hops) > 0 {
			via = one.Hops[0]
		}
		// A route without a gateway leads to the interface's own network.
		gateway, _ := netip.ParseAddr(via.Gateway)
		f.Routes = append(f.Routes, Route{to, gateway, via.Device, one.Table})
	}
	return nil
}

// parseNetwork parses a destination in ip's format: "default", an address or a network.
func parseNetwork(text string) (netip.Prefix, error) {
	if text == "default" {
		return everywhere, nil
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}

// readNeighbours parses the output of `ip -j neigh`. It includes only neighbours with a hardware
// address, because only these have answered an ARP request.
func (f *Facts) readNeighbours(text string) error {
	var neighbours []struct {
		Address netip.Addr `json:"dst"`
		MAC     string     `json:"lladdr"`
	}
	if err := json.Unmarshal([]byte(text), &neighbours); err != nil {
		return fmt.Errorf("neighbours: %w", err)
	}
	for _, one := range neighbours {
		if one.MAC != "" {
			f.Neighbours = append(f.Neighbours, one.Address)
		}
	}
	return nil
}
