package applications

import (
	"slices"

	"strata/health"
)

// Kind gates ArgoCD Applications: each must be Synced and Healthy for its present spec.
const Kind health.Kind = "applications"

// Spec names ArgoCD Applications.
type Spec struct {
	Namespace string   `json:"namespace"`
	Names     []string `json:"names"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "", "applications.namespace: empty")
	need(len(s.Names) > 0 && !slices.Contains(s.Names, ""),
		"applications.names: expected names; a gate of nothing is always open")
}
