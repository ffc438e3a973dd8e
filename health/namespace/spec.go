package namespace

import "strata/health"

// Kind gates a namespace's deletion: it waits until a namespace that is being deleted is gone. It
// passes at once for any other namespace.
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
