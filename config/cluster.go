package config

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
)

// Cluster selects an existing cluster for the stack's layers, instead of a cluster that Strata
// builds on hosts.
type Cluster struct {
	// Kubeconfig is the path of the kubeconfig; a leading ~ is the home directory, a relative path
	// is relative to the project. Default: the files of the variable KUBECONFIG, or else
	// ~/.kube/config.
	Kubeconfig string `json:"kubeconfig,omitempty" plain:"true"`
	// Context is the context in the kubeconfig, for example kind-kind or k3d-demo. Required: Strata
	// ignores the current context, so that a forgotten `kubectl config use-context` changes no
	// other cluster.
	Context string `json:"context,omitempty" plain:"true"`
	// PodNetwork is the network of the cluster's Pods, as CIDR: kind has 10.244.0.0/16, k3d
	// 10.42.0.0/16. Default: none, and metallb.addresses is not compared with it. Controller apisix
	// needs it.
	PodNetwork netip.Prefix `json:"podNetwork,omitzero"`
	// ServiceNetwork is the network of the cluster's Services, as CIDR: kind has 10.96.0.0/16, k3d
	// 10.43.0.0/16. Default: none, and metallb.addresses is not compared with it.
	ServiceNetwork netip.Prefix `json:"serviceNetwork,omitzero"`
	// NetworkPolicies is k3s.networkPolicies for an existing cluster. The cluster's CNI plugin must
	// enforce policies; that of kind does from 0.24 on. Default false.
	NetworkPolicies bool `json:"networkPolicies,omitempty"`
	// Protect makes Strata refuse to destroy the stack, and to delete other owners' objects in its
	// namespaces. To end the protection, set it to false and run an update. Default false.
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

// checkCluster checks the stack's cluster: one that is built on hosts, or an existing one.
func (c *Config) checkCluster(ps *problems) {
	if c.OnExistingCluster() {
		c.checkExisting(ps)
		return
	}
	c.checkHosts(ps)
	c.checkNodes(ps)
	c.checkNetworks(ps)
	c.checkK3s(ps)
	c.checkVIP(ps)
}

// checkExisting checks the section cluster, and refuses settings that only a cluster built by
// Strata can have.
func (c *Config) checkExisting(ps *problems) {
	who := "the stack's cluster"
	if c.Cluster.Context == "" && !c.Cluster.ofProgram {
		ps.add(field("cluster.context"), "",
			"is not set, and the kubeconfig's current context is not read: whose cluster an up "+
				"changes must be configured",
			"name one; `kubectl config get-contexts` lists them")
	} else if c.Cluster.Context != "" {
		who = "the cluster of cluster.context " + c.Cluster.Context
	}
	original := defaults()
	original.Hosts.deriveSSH()
	ps.addIf(!reflect.DeepEqual(c.Hosts, original.Hosts), field("hosts"), "",
		"is set beside the section cluster, and a stack builds a cluster or uses an existing one",
		"remove hosts, or remove the section cluster")
	unread(ps, "k3s", c.K3s, original.K3s, who)
	unread(ps, "upgrade", c.Upgrade, original.Upgrade, who)
	c.checkExistingNetworks(ps)
}

// unread reports every key that is set in a section without effect on an existing cluster.
func unread(ps *problems, section string, value, original any, who string) {
	fields := fieldsOf(reflect.TypeOf(value))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		given := reflect.ValueOf(value).Field(fields[name]).Interface()
		if !reflect.DeepEqual(given, reflect.ValueOf(original).Field(fields[name]).Interface()) {
			ps.add(field("%s.%s", section, name), show(given),
				"is not read: "+who+" is an existing cluster",
				"remove it, or remove the section cluster")
		}
	}
}

// existingNetworks returns the configured networks of an existing cluster.
func (c *Config) existingNetworks() []namedNetwork {
	return []namedNetwork{{"cluster.podNetwork", c.Cluster.PodNetwork},
		{"cluster.serviceNetwork", c.Cluster.ServiceNetwork}}
}

// namedNetwork is a network and the key that sets it.
type namedNetwork struct {
	key    string
	prefix netip.Prefix
}

func (c *Config) checkExistingNetworks(ps *problems) {
	networks := c.existingNetworks()
	for _, network := range networks {
		if network.prefix.IsValid() {
			checkNetwork(ps, field("%s", network.key), network.prefix)
		}
	}
	pods, services := networks[0], networks[1]
	if pods.prefix.IsValid() && services.prefix.IsValid() && pods.prefix.Overlaps(services.prefix) {
		ps.add(field("%s", services.key), services.prefix.String(),
			fmt.Sprintf("overlaps %s %s", pods.key, pods.prefix), "check both")
	}
	ps.addIf(c.Ingress.Uses(ControllerAPISIX) && !pods.prefix.IsValid(), field("%s", pods.key), "",
		"is not set, and APISIX's admin API is open to the addresses of Pods only",
		"set the network of the cluster's Pods: kind has 10.244.0.0/16, k3d 10.42.0.0/16")
}
