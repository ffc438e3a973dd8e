package crds

import (
	"slices"
	"strings"

	"strata/health"
)

// Kind gates CRDs: each must be Established, and served by every API server.
const Kind health.Kind = "crds"

// Spec names custom resource definitions that must be served.
type Spec struct {
	// Names are the CRDs' names, plural.group.
	Names []string `json:"names"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(len(s.Names) > 0, "crds.names: empty; a gate of nothing is always open")
	for i, name := range s.Names {
		plural, group, _ := strings.Cut(name, ".")
		need(plural != "" && group != "",
			"crds.names[%d]: expected plural.group, for example gateways.gateway.networking.k8s.io, found %q", i, name)
		need(!slices.Contains(s.Names[:i], name), "crds.names[%d]: %s is there twice", i, name)
	}
}
