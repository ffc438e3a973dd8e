package api

import "strata/health"

// Kind gates the API servers: each must pass an authenticated request for /readyz.
const Kind health.Kind = "api"

// Spec configures the gate of the API servers. It has no fields.
type Spec struct{}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind, Optional: true} }

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
