package config

import (
	"fmt"
	"net/netip"
)

// checkNetworks checks that the node, Pod and Service networks do not overlap. In an overlap, some
// addresses cannot be reached.
func (c *Config) checkNetworks(ps *problems) {
	networks := []struct {
		key, name string
		prefix    netip.Prefix
	}{
		{field("hosts.subnet"), "hosts.subnet", c.Hosts.Subnet},
		{field("k3s.clusterCIDR"), "k3s.clusterCIDR", c.K3s.ClusterCIDR},
		{field("k3s.serviceCIDR"), "k3s.serviceCIDR", c.K3s.ServiceCIDR},
	}
	for i, network := range networks {
		if i > 0 {
			checkNetwork(ps, network.key, network.prefix)
		}
		for _, other := range networks[:i] {
			ps.addIf(other.prefix.IsValid() && network.prefix.Overlaps(other.prefix), network.key,
				network.prefix.String(), fmt.Sprintf("overlaps %s %s", other.name, other.prefix),
				"choose separate networks")
		}
	}
}
