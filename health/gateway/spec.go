package gateway

import (
	"slices"

	"strata/health"
)

// Kind gates a Gateway with its GatewayClass and listeners: all must be Accepted and Programmed.
const Kind health.Kind = "gateway"

// Spec names a Gateway, its class and the listeners that must serve.
type Spec struct {
	Class     string `json:"class"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Listeners are names of spec.listeners. Each has its own check, because one working listener
	// is enough to make the Gateway Accepted and Programmed.
	Listeners []string `json:"listeners"`
	// Routes is the least number of attached routes, by the listener's name. Optional.
	Routes map[string]int `json:"routes,omitempty"`
}

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Class != "" && s.Namespace != "" && s.Name != "",
		"gateway: class, namespace or name is empty")
	need(len(s.Listeners) > 0 && !slices.Contains(s.Listeners, ""),
		"gateway.listeners: expected names; a Gateway is Programmed with one good listener of many")
	for name := range s.Routes {
		need(slices.Contains(s.Listeners, name),
			"gateway.routes: %q is none of gateway.listeners", name)
	}
}
