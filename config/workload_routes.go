package config

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The values of WorkloadRoute.Kind.
const (
	// RouteHTTP is the Gateway API's HTTPRoute.
	RouteHTTP = "HTTPRoute"
	// RouteIngress is Kubernetes' own Ingress.
	RouteIngress = "Ingress"
	// RouteApisix is APISIX's own ApisixRoute.
	RouteApisix = "ApisixRoute"
)

// WorkloadRoute leads requests for a host and a path to the workload.
type WorkloadRoute struct {
	// Host is the DNS label below ingress.domain. Default: the workload's name.
	Host string `json:"host,omitempty" plain:"true"`
	// Path is the prefix of the requests' paths. Default /.
	Path string `json:"path,omitempty"`
	// Controller is the ingress controller, of ingress.controllers. Default: the first of them.
	Controller string `json:"controller,omitempty" enum:"traefik,apisix"`
	// Kind is HTTPRoute, Ingress or ApisixRoute. Default: HTTPRoute with Traefik, ApisixRoute with
	// APISIX.
	Kind string `json:"kind,omitempty" enum:"HTTPRoute,Ingress,ApisixRoute"`
}

func (c *Config) deriveRoute(workload string, route *WorkloadRoute) {
	route.Host, route.Path = cmp.Or(route.Host, workload), cmp.Or(route.Path, "/")
	if route.Controller == "" && len(c.Ingress.Controllers) > 0 {
		route.Controller = c.Ingress.Controllers[0]
	}
	route.Kind = cmp.Or(route.Kind, DefaultRouteKind(route.Controller))
}

// DefaultRouteKind returns the kind of an ingress controller's routes whose key kind is not set.
func DefaultRouteKind(controller string) string {
	if controller == ControllerAPISIX {
		return RouteApisix
	}
	return RouteHTTP
}

// routeKinds lists the kinds of route of each ingress controller.
var routeKinds = map[string][]string{
	ControllerTraefik: {RouteHTTP, RouteIngress},
	ControllerAPISIX:  {RouteHTTP, RouteIngress, RouteApisix},
}

// platformHosts are the names below the domain that belong to the platform's own services.
var platformHosts = []string{"traefik", "argocd", "httpbin", "keycloak", "oidc", "api"}

// routes checks a workload's routes. hosts maps the controller, host and path of each route so far
// to its workload.
func (w workloadCheck) routes(hosts map[string]string) {
	for i, route := range w.w.Routes {
		key := func(name string) string { return w.key("routes[%d].%s", i, name) }
		if !slices.Contains(w.c.Ingress.Controllers, route.Controller) {
			w.add(key("controller"), route.Controller,
				"is none of ingress.controllers "+list(w.c.Ingress.Controllers),
				"add it there, or remove the route")
		} else if kinds := routeKinds[route.Controller]; kinds != nil &&
			!slices.Contains(kinds, route.Kind) {
			w.add(key("kind"), route.Kind, "is no kind of route of "+route.Controller,
				suggestion(route.Kind, kinds))
		}
		switch {
		case len(validation.IsDNS1123Label(route.Host)) > 0:
			// The domain's certificate only covers names with one more label than the domain.
			w.add(key("host"), route.Host, "is not one label below ingress.domain",
				"write for example shop, for shop."+w.c.Ingress.Domain)
		case slices.Contains(platformHosts, route.Host):
			w.add(key("host"), route.Host, "is a name of the platform's own services",
				"choose another")
		}
		w.addIf(!strings.HasPrefix(route.Path, "/"), key("path"), route.Path,
			"is not a path from the root", "write for example /api")
		at := route.Controller + " " + route.Host + route.Path
		if other, twice := hosts[at]; twice {
			w.add(key("host"), route.Host,
				"with path "+route.Path+" leads to workload "+other+" already",
				"choose another host or path")
		}
		hosts[at] = w.w.Name
		w.drains(route)
	}
}

// drains checks that the ingress controller's own Pods let a request take as long as the workload's
// Pods do.
func (w workloadCheck) drains(route WorkloadRoute) {
	of, through := w.c.Traefik.LongestRequest.Duration, "traefik.longestRequest"
	if route.Controller == ControllerAPISIX {
		of, through = w.c.APISIX.LongestRequest.Duration, "apisix.longestRequest"
	}
	if longest := w.w.LongestRequest.Duration; longest > of {
		w.add(w.key("longestRequest"), longest.String(),
			"is longer than "+through+" "+of.String()+
				", which would cut the request in a rollout of the ingress",
			"raise "+through+", or lower this")
	}
}
