package system

import "strata/health"

// Kind gates the packaged components of K3s: default ServiceAccount, CoreDNS, metrics APIService,
// and the metrics of each Node.
const Kind health.Kind = "system"

// Spec says which packaged components of K3s the cluster must have.
type Spec struct {
	// Disabled are the components in K3s's disable list.
	Disabled []string `json:"disabled,omitempty"`
	// Domain is the cluster's DNS domain, such as cluster.local. Each of the Spec's Hosts queries
	// CoreDNS for a name in it.
	Domain string `json:"domain,omitempty"`
	// Existing is copied from the gate's Spec. The owner of an existing cluster may use other
	// components. So any DNS server behind Service kube-dns is enough, and metrics are required
	// only if they are registered.
	Existing bool `json:"existing,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
