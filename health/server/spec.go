package server

import "strata/health"

// Kind gates K3s on one host: its unit and, on a server, /ping without credentials.
const Kind health.Kind = "server"

// Spec configures the gate of one K3s server or agent. It has no fields.
type Spec struct{}

// Traits implements health.Body.
func (Spec) Traits() health.Traits {
	return health.Traits{Kind: Kind, OneHost: true, NoServers: true, Optional: true}
}

// Validate implements health.Body.
func (Spec) Validate(health.Need) {}
