package system

import "strata/health"

// Kind gates K3s's own deployments: default ServiceAccount, CoreDNS, metrics APIService and
// the metrics of each Node.
const Kind health.Kind = "system"

// Spec says which of the components that K3s packages the cluster need not have.
type Spec struct {
	// Disabled are the components that K3s was told not to deploy.
	Disabled []string `json:"disabled,omitempty"`
	// Domain is the cluster's, such as cluster.local. Each of the Spec's Hosts asks CoreDNS for a
	// name in it.
	Domain string `json:"domain,omitempty"`
	// Existing is the Spec's, taken over by the gate. The owner may have other components or none:
	// the server of the DNS names must be there under any name, and metrics only where they are
	// registered.
	Existing bool `json:"existing,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
