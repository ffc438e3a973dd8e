package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/health"
	"strata/health/http"
	"strata/health/upstreams"
)

// reached lists the status codes that prove that a request has reached the application. 404 is not
// in the list, because the ingress controller answers 404 if it has no route.
var reached = []int{200, 201, 202, 204, 301, 302, 303, 307, 308, 400, 401, 403, 405, 406, 415, 422}

// served lists the status codes from 200 to 399, with which a readiness probe succeeds.
var served = []int{200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304,
	307, 308}

// routes registers the workload's routes, and sets URLs and Address.
func (w *workloadBuild) routes() error {
	w.routed = map[string][]pulumi.Resource{}
	for _, route := range w.args.Config.Routes {
		via := w.args.Ingress[route.Controller]
		// The resource is named after the route and not after its index in the list. Otherwise
		// removing a route would rename the others, and Pulumi would create objects that still
		// exist.
		object, err := w.route("route-"+w.routeName(route), route, via)
		if err != nil {
			return err
		}
		w.URLs = append(w.URLs, urlOf(route, via))
		if len(w.URLs) == 1 {
			w.Address = via.IP
		}
		w.routed[route.Controller] = append(w.routed[route.Controller], object)
	}
	return nil
}

func urlOf(route config.WorkloadRoute, via WorkloadIngress) string {
	return "https://" + route.Host + "." + via.Domain + route.Path
}

// reach registers the gates that send requests to the routes, one for each ingress controller. It
// does nothing without Full.
func (w *workloadBuild) reach() error {
	if !w.args.Full {
		return nil
	}
	for _, controller := range slices.Sorted(maps.Keys(w.routed)) {
		via := w.args.Ingress[controller]
		var probes []http.Probe
		for _, route := range w.args.Config.Routes {
			if route.Controller == controller {
				probes = append(probes, w.ask(route, via))
			}
		}
		needs := slices.Concat(w.routed[controller], via.Values.Rolled,
			[]pulumi.Resource{w.Rollout, w.service})
		if via.Address != nil {
			needs = append(needs, via.Address)
		}
		_, err := w.args.Cluster.gate(w.ctx, w.name+"-"+controller, gateArgs{Spec: health.Spec{
			Layer: "apps", Timeout: w.args.Timeouts.Workload,
			TimeoutKey: "strata:timeouts.workload",
			Body: http.Spec{Namespace: via.Namespace, Service: via.Service, CASecret: via.CASecret,
				Probes: probes},
		}, Revision: via.Values.joinRevision(w.revision())}, childOf(w, needs...)...)
		if err != nil {
			return fmt.Errorf("gate %s: %w", controller, err)
		}
		if via.Plane == nil {
			continue
		}
		if err := w.leads(controller, via); err != nil {
			return fmt.Errorf("gate %s-upstreams: %w", controller, err)
		}
	}
	return nil
}

// leads registers the gate that checks whether every Pod of the ingress controller's data plane
// sends the routes' requests to the workload's current Pods. One request tests only one Pod of the
// data plane and one of the workload. The gate runs again when the workload's revision or
// via.PlaneRevision changes.
func (w *workloadBuild) leads(controller string, via WorkloadIngress) error {
	plane := *via.Plane
	for _, route := range w.args.Config.Routes {
		if route.Controller == controller {
			plane.Routes = append(plane.Routes,
				upstreams.RouteRef{Kind: route.Kind, Namespace: w.args.Config.Namespace,
					Name: w.routeName(route)})
		}
	}
	_, err := w.args.Cluster.gate(w.ctx, w.name+"-"+controller+"-upstreams",
		gateArgs{Spec: health.Spec{
			Layer: "apps", Timeout: w.args.Timeouts.Workload,
			TimeoutKey: "strata:timeouts.workload",
			Body:       plane,
		}, Revision: pulumi.Sprintf("%s %s", w.revision(), via.PlaneRevision), APIKey: via.Key},
		childOf(w, append(slices.Clone(w.routed[controller]), w.Rollout, w.service,
			via.Rolled)...)...)
	return err
}

// ask returns the probe of a route. The probe requests the readiness path if that path is below the
// route's path, because an application may answer 404 at the route's own path. Otherwise the probe
// requests the route's path.
func (w *workloadBuild) ask(route config.WorkloadRoute, via WorkloadIngress) http.Probe {
	probe := http.Probe{Name: route.Host + route.Path, URL: urlOf(route, via), Status: reached}
	ready, prefix := w.args.Config.Probes.Ready, strings.TrimSuffix(route.Path, "/")
	if ready == prefix || strings.HasPrefix(ready, prefix+"/") {
		route.Path = ready
		probe.URL, probe.Status = urlOf(route, via), served
	}
	return probe
}

func (w *workloadBuild) route(
	role string, route config.WorkloadRoute, via WorkloadIngress,
) (pulumi.Resource, error) {
	name, host := w.routeName(route), route.Host+"."+via.Domain
	needs := with(via.Admitted, w.service, w.args.Namespace)
	args := customResource{name: name, namespace: w.args.Config.Namespace}
	switch route.Kind {
	case config.RouteIngress:
		return w.object(role, "kubernetes:networking.k8s.io/v1:Ingress", object{
			"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
			// An Ingress's status contains only an address, so Pulumi does not wait for it. The
			// gate of reach sends requests through the Ingress.
			"metadata": w.metadata(name, skipAwait),
			"spec":     workloadIngress(w.args.Config.Name, host, route.Path, via.Class),
		}, needs...)
	case config.RouteApisix:
		args.apiVersion, args.kind = "apisix.apache.org/v2", config.RouteApisix
		args.spec = workloadApisixRoute(w.args.Config.Name, host, route.Path, via.Class)
	default:
		args.apiVersion, args.kind = "gateway.networking.k8s.io/v1", config.RouteHTTP
		args.spec = httpRouteSpec(via.Class, via.Listeners, host, route.Path, w.backends())
		if via.Judged && w.args.Full {
			args.wait = routeWait(w.args.Timeouts.Workload.Duration)
		}
		if w.args.Config.Canary != nil {
			// patchForce lets Pulumi change the weights, whose field manager is the canary's
			// command.
			annotations := pulumi.StringMap{"pulumi.com/patchForce": pulumi.String("true")}
			maps.Copy(annotations, args.wait)
			args.wait = annotations
		}
	}
	made, err := newCustomResource(w.ctx, w.args.Cluster, w.name+"-"+role, args,
		childOf(w, needs...)...)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", route.Kind, name, err)
	}
	return made, nil
}

// routeName returns the name of the route's object. The workload's default route has the workload's
// name; every other route has a digest appended. So the removal of one route does not rename the
// remaining routes.
func (w *workloadBuild) routeName(route config.WorkloadRoute) string {
	name := w.args.Config.Name
	if route.Host == name && route.Path == "/" &&
		route.Kind == config.DefaultRouteKind(route.Controller) {
		return name
	}
	return name + "-" + digestOf(route.Controller, route.Host, route.Path)[:8]
}

// workloadIngress returns the spec of an Ingress that sends the requests for host and path to a
// Service. It names no TLS Secret, because the controller's default certificate is the domain's.
func workloadIngress(service, host, path, class string) object {
	return object{
		"ingressClassName": class,
		"tls":              array{object{"hosts": []string{host}}},
		"rules": array{object{
			"host": host,
			"http": object{"paths": array{object{
				"path": path, "pathType": "Prefix",
				"backend": object{"service": object{"name": service,
					"port": object{"number": 80}}},
			}}},
		}},
	}
}

// workloadApisixRoute returns the spec of an ApisixRoute that sends the requests for host and path
// to a Service. For the path /api it lists /api and /api/*, because /api/* does not match /api.
func workloadApisixRoute(service, host, path, class string) object {
	below := strings.TrimSuffix(path, "/") + "/*"
	matched := []string{below}
	if path != "/" {
		matched = []string{strings.TrimSuffix(path, "/"), below}
	}
	rule := apisixRule(service, host, matched)
	return object{"ingressClassName": class, "http": array{rule}}
}

// apisixRule returns the rule of an ApisixRoute that sends the requests for host and paths to port
// 80 of a Service.
func apisixRule(service, host string, paths []string) object {
	return object{
		"name": service, "match": object{"hosts": []string{host}, "paths": paths},
		"backends": array{object{"serviceName": service, "servicePort": 80}},
	}
}
