package namespace

import "strata/health"

// Kind gates the end of a namespace that is being deleted. It passes at once for a namespace that
// is not being deleted.
const Kind health.Kind = "namespace"

// Spec names a namespace.
type Spec struct {
	Name string `json:"name"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Name != "", "namespace.name: empty")
}
