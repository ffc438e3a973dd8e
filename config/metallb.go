package config

// MetalLB configures the load balancer.
type MetalLB struct {
	// Enabled installs MetalLB. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Addresses are the ranges that Services get addresses from: first-last or CIDR, inside
	// Hosts.Subnet, or in the network of an existing cluster's nodes (docs/existing-clusters.md).
	// Required.
	Addresses []string `json:"addresses"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are values of the chart, as its values.yaml has them, below those that Strata sets
	// (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
}
