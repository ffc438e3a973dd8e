package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// MetalLB configures the load balancer.
type MetalLB struct {
	// Enabled installs MetalLB. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Addresses are the ranges that Services get addresses from: first-last or CIDR, inside
	// hosts.subnet, or in the network of an existing cluster's nodes (docs/existing-clusters.md).
	// Required.
	Addresses []string `json:"addresses" plain:"true"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
}

var metallbOwned = slices.Concat(
	keepNames(),
	set("", "crds"),
	because("addresses are announced in L2 mode only", "", "frrk8s", "frr-k8s", "speaker.frr"),
	keepDefaults(gated, "controller.enabled", "controller.webhookMode", "speaker.enabled"),
	keepDefaults("the Services of the ingress controllers have no class, and would stay "+
		"without an address", "loadBalancerClass"),
	keepDefaults("the gate of the address pool waits for a speaker on every node", "speaker.nodeSelector",
		"speaker.affinity", "speaker.tolerateMaster"),
	keepDefaults("the gate of the rollout waits until every speaker is of the newest revision",
		"speaker.updateStrategy"),
	keepDefaults("without it MetalLB may do none of its work", "rbac.create"),
)

func (c *Config) checkMetalLB(ps *problems) {
	metallb := c.MetalLB
	if metallb.Enabled != nil && *metallb.Enabled {
		if !c.Cluster.ofProgram {
			c.checkAnyAddress(ps)
		}
		ps.addIf(!c.OnExistingCluster() && !slices.Contains(c.K3s.Disable, serviceLB),
			field("k3s.disable"), "",
			"leaves K3s's servicelb on, which would fight MetalLB over every Service",
			"add servicelb to k3s.disable, or set metallb.enabled: false")
	}
	c.checkRanges(ps)
}

// checkAnyAddress reports a MetalLB without addresses.
func (c *Config) checkAnyAddress(ps *problems) {
	if len(c.MetalLB.Addresses) > 0 {
		return
	}
	where := "inside hosts.subnet, for example 10.10.0.200-10.10.0.210"
	if c.OnExistingCluster() {
		where = "of the nodes' network that nothing else uses (docs/existing-clusters.md says how to find one)"
	}
	ps.add(field("metallb.addresses"), "", "is empty", "give at least one range "+where)
}

// checkRanges reports malformed ranges, and those with addresses that are in use already.
func (c *Config) checkRanges(ps *problems) {
	var earlier []Range
	for i, text := range c.MetalLB.Addresses {
		addresses, err := ParseRange(text)
		if err != nil {
			ps.add(field("metallb.addresses[%d]", i), text, "is not an address range",
				"write first-last or CIDR, for example 10.10.0.200-10.10.0.210")
			continue
		}
		c.checkPool(ps, field("metallb.addresses[%d]", i), text, addresses, earlier)
		earlier = append(earlier, addresses)
	}
}

// checkPool reports a range with addresses that are in use already, because two owners would answer
// for them.
func (c *Config) checkPool(ps *problems, key, text string, addresses Range, earlier []Range) {
	taken := func(what string) {
		ps.add(key, text, "overlaps "+what, "choose a range that nothing else uses")
	}
	for i, other := range earlier {
		if addresses.Overlaps(other) {
			taken(fmt.Sprintf("metallb.addresses entry %s (number %d)", other, i+1))
		}
	}
	for _, network := range c.clusterNetworks() {
		if network.prefix.IsValid() && addresses.Overlaps(RangeOf(network.prefix)) {
			taken(network.key + " " + network.prefix.String())
		}
	}
	if !c.OnExistingCluster() {
		c.checkPoolOnHosts(ps, key, text, addresses, taken)
	}
}

// checkPoolOnHosts reports a range outside the hosts' subnet, or with addresses of the hosts. For
// an existing cluster, both are unknown.
func (c *Config) checkPoolOnHosts(
	ps *problems, key, text string, addresses Range, taken func(string),
) {
	hosts := c.Hosts
	if hosts.Subnet.IsValid() {
		subnet := RangeOf(hosts.Subnet)
		if !addresses.IsWithin(subnet) {
			ps.add(key, text, "lies outside hosts.subnet "+hosts.Subnet.String()+
				", where no host would answer for it",
				"choose a range inside it")
		} else if addresses.Contains(subnet.First) || addresses.Contains(subnet.Last) {
			ps.add(key, text, "holds the network or broadcast address of hosts.subnet "+
				hosts.Subnet.String(),
				"leave both out")
		}
	}
	for _, node := range hosts.Nodes {
		if addresses.Contains(node.Address) {
			taken(fmt.Sprintf("node %s (%s)", node.Name, node.Address))
		}
	}
	if gateway := hosts.VM.Gateway; gateway.IsValid() && addresses.Contains(gateway) {
		taken("hosts.vm.gateway " + gateway.String())
	}
}

// clusterNetworks returns the cluster's own networks: K3s's, or those of an existing cluster.
func (c *Config) clusterNetworks() []namedNetwork {
	if c.OnExistingCluster() {
		return c.existingNetworks()
	}
	return []namedNetwork{{"k3s.clusterCIDR", c.K3s.ClusterCIDR},
		{"k3s.serviceCIDR", c.K3s.ServiceCIDR}}
}

// checkInPool reports an address that is not in MetalLB's pool.
func (c *Config) checkInPool(ps *problems, key string, address netip.Addr) {
	if !address.IsValid() {
		return
	}
	inPool := slices.ContainsFunc(c.MetalLB.Addresses, func(text string) bool {
		addresses, err := ParseRange(text)
		return err == nil && addresses.Contains(address)
	})
	ps.addIf(!inPool, field("%s", key), address.String(),
		"is in none of metallb.addresses "+strings.Join(c.MetalLB.Addresses, ", "),
		"choose one of them, or leave the key out")
}
