package upstreams

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

// Kind gates the routes in APISIX's data plane: each of its Pods has exactly the addresses of the
// ready Pods behind each route.
const Kind health.Kind = "upstreams"

// Spec names the Pods of APISIX's data plane and the routes to check there. The data plane runs in
// standalone mode: it keeps the configuration that its controller sends, and returns it on request
// (apisix/admin/standalone.lua).
type Spec struct {
	// Namespace and Selector, a label selector, select the data plane's Pods. Port is the port of
	// their admin API, to which the gate sends Secrets.APIKey.
	Namespace string `json:"namespace"`
	Selector  string `json:"selector"`
	Port      int    `json:"port"`
	// Controller is namespace/Deployment/name of the data plane's controller, for messages.
	Controller string     `json:"controller"`
	Routes     []RouteRef `json:"routes"`
	// Resync is the interval at which the controller sends the whole configuration again, even
	// without a change. A difference that outlives two intervals is permanent.
	Resync metav1.Duration `json:"resync"`
}

// RouteKinds are the kinds of routes that a gate of kind upstreams knows.
var RouteKinds = []string{"HTTPRoute", "ApisixRoute", "Ingress"}

// RouteRef names a route.
type RouteRef struct {
	// Kind is HTTPRoute, ApisixRoute or Ingress.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// String returns the route as "KIND NAMESPACE/NAME".
func (r RouteRef) String() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// Traits implements health.Body.
func (Spec) Traits() health.Traits { return health.Traits{Kind: Kind} }

// Validate implements health.Body.
func (s Spec) Validate(need health.Need) {
	need(s.Namespace != "" && s.Selector != "" && s.Port > 0,
		"upstreams: namespace, selector or port is empty")
	need(strings.Count(s.Controller, "/") == 2,
		"upstreams.controller: expected namespace/kind/name, found %q", s.Controller)
	need(s.Resync.Duration > 0, "upstreams.resync: expected a positive duration, found %s",
		s.Resync.Duration)
	need(len(s.Routes) > 0, "upstreams.routes: empty; a gate of nothing is always open")
	for i, route := range s.Routes {
		need(slices.Contains(RouteKinds, route.Kind),
			"upstreams.routes[%d].kind: expected HTTPRoute, ApisixRoute or Ingress, found %q", i,
			route.Kind)
		need(route.Namespace != "" && route.Name != "",
			"upstreams.routes[%d]: namespace or name is empty", i)
	}
}
