package pool

import "strata/health"

// Kind gates a MetalLB address pool: the running controller and every speaker must have accepted
// it.
const Kind health.Kind = "pool"

// Spec names a MetalLB address pool.
type Spec struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`
	// Speakers are the nodes on which a speaker must have accepted the configuration.
	Speakers []string `json:"speakers,omitempty"`
	// SpeakerPods selects the speakers' Pods by label, if the nodes are not known beforehand.
	// Speakers are then the nodes that have such a Pod; there must be at least one.
	SpeakerPods string `json:"speakerPods,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(len(s.Addresses) > 0, "pool.addresses: empty; expected a pool with addresses")
}
