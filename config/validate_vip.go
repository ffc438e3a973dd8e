package config

import "fmt"

// checkVIP compares the API's own address with all addresses that are in use already.
func (c *Config) checkVIP(ps *problems) {
	vip, key := c.K3s.VIP, field("k3s.vip")
	if !vip.IsValid() {
		return
	}
	if subnet := c.Hosts.Subnet; subnet.IsValid() {
		all := RangeOf(subnet)
		if !all.Contains(vip) || vip == all.First || vip == all.Last {
			ps.add(key, vip.String(), "is no host's address in hosts.subnet "+subnet.String(),
				"choose a free address inside it")
		}
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
