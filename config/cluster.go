package config

import "net/netip"

// Cluster names an existing cluster for the stack's layers, in place of one that Strata builds on
// hosts.
type Cluster struct {
	// Kubeconfig is the path of the kubeconfig; a leading ~ is the home directory, a relative path
	// is relative to the project. Default: the files of the variable KUBECONFIG, or else
	// ~/.kube/config.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context is the context in the kubeconfig, for example kind-kind or k3d-demo. Required: the
	// current context is not read, since a shell's last choice must not decide which cluster an
	// update changes.
	Context string `json:"context,omitempty"`
	// PodNetwork is the network of the cluster's Pods, as CIDR: kind has 10.244.0.0/16, k3d
	// 10.42.0.0/16. Default: none, and metallb.addresses is not compared with it. Controller apisix
	// needs it.
	PodNetwork netip.Prefix `json:"podNetwork,omitzero"`
	// ServiceNetwork is the network of the cluster's Services, as CIDR: kind has 10.96.0.0/16, k3d
	// 10.43.0.0/16. Default: none, and metallb.addresses is not compared with it.
	ServiceNetwork netip.Prefix `json:"serviceNetwork,omitzero"`
	// NetworkPolicies is k3s.networkPolicies for an existing cluster. The cluster's network must
	// enforce them; that of kind does so from 0.24 on. Default false.
	NetworkPolicies bool `json:"networkPolicies,omitempty"`
	// Protect refuses a destroy of the stack, and every run that would delete others' objects in
	// its namespaces, until it is false again and an update has seen that. Default false.
	Protect bool `json:"protect,omitempty"`
	// ofProgram is true if a user's own program provides the cluster. That program may take
	// MetalLB's addresses from any resource (ForProgram).
	ofProgram bool
}

// OnExistingCluster reports whether the stack runs on an existing cluster. Then there are no hosts
// and no K3s of Strata, and the cluster stays when the stack is destroyed.
func (c *Config) OnExistingCluster() bool { return c.Cluster != Cluster{} }

// PodNetwork returns the network of the cluster's Pods; not valid if it is not configured.
func (c *Config) PodNetwork() netip.Prefix {
	if c.OnExistingCluster() {
		return c.Cluster.PodNetwork
	}
	return c.K3s.ClusterCIDR
}
