package config_test

import "strata/config"

// metallbRules are cases for the load balancer and its addresses.
var metallbRules = []rule{
	{"no addresses for Services", one("metallb", `{}`),
		"strata:metallb.addresses: is empty; give at least one range inside hosts.subnet, for " +
			"example 10.10.0.200-10.10.0.210"},
	{"MetalLB beside servicelb", one("k3s", `{"disable":["traefik"]}`),
		"strata:k3s.disable: leaves K3s's servicelb on, which would fight MetalLB over every Service; " +
			"add servicelb to k3s.disable, or set metallb.enabled: false"},
	{"a malformed chart version", one("metallb",
		`{"addresses":["10.10.0.200/29"],"chartVersion":"latest"}`),
		"strata:metallb.chartVersion: latest is not a chart version; write X.Y.Z, for example " +
			config.MetalLBChartVersion},
	{"a malformed range", pool("10.10.0.200..210"),
		"strata:metallb.addresses[0]: 10.10.0.200..210 is not an address range; " +
			"write first-last or CIDR, for example 10.10.0.200-10.10.0.210"},
	{"a range backwards", pool("10.10.0.210-10.10.0.200"),
		"strata:metallb.addresses[0]: 10.10.0.210-10.10.0.200 is not an address range; " +
			"write first-last or CIDR, for example 10.10.0.200-10.10.0.210"},
	{"a range outside the subnet", pool("10.11.0.200-10.11.0.210"),
		"strata:metallb.addresses[0]: 10.11.0.200-10.11.0.210 lies outside hosts.subnet 10.10.0.0/24, " +
			"where no host would answer for it; choose a range inside it"},
	{"a range with the broadcast address", pool("10.10.0.248/29"),
		"strata:metallb.addresses[0]: 10.10.0.248/29 holds the network or broadcast address of " +
			"hosts.subnet 10.10.0.0/24; leave both out"},
	{"a range over a node", pool("10.10.0.20-10.10.0.30"),
		"strata:metallb.addresses[0]: 10.10.0.20-10.10.0.30 overlaps node agent-1 (10.10.0.21); " +
			"choose a range that nothing else uses"},
	{"ranges over each other", pool("10.10.0.200-10.10.0.210", "10.10.0.208/30"),
		"strata:metallb.addresses[1]: 10.10.0.208/30 overlaps metallb.addresses entry " +
			"10.10.0.200-10.10.0.210 (number 1); " +
			"choose a range that nothing else uses"},
}
