package upstreams

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"strata/health"
	"strata/health/kube"
)

// upstreamsFacts describes routes, the Pods behind them, and the configuration of each Pod of the
// data plane.
type upstreamsFacts struct {
	kube.APIFault
	// Routes are the expected targets of the Spec's routes, in the Spec's order.
	Routes []routeSeen `json:"routes,omitempty"`
	// Planes are the data plane's Pods that run and are not being deleted, by name.
	Planes []planeSeen `json:"planes,omitempty"`
}

// routeSeen holds the expected targets of a route.
type routeSeen struct {
	Route   string `json:"route"`
	Missing bool   `json:"missing,omitempty"`
	// Behind says why the Addresses of an existing route are not known, for example because the
	// EndpointSlices still differ from the Pods. It is empty if they are known.
	Behind string `json:"behind,omitempty"`
	// Addresses are ip:port of the ready Pods of all backends of the route, sorted.
	Addresses []string `json:"addresses,omitempty"`
}

// planeSeen holds the configuration of one Pod of the data plane.
type planeSeen struct {
	Pod string `json:"pod"`
	// Status is the HTTP status of the admin API. Error says why there is no answer, or no readable
	// one.
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
	// Routes are this Pod's targets of the Spec's routes, in the Spec's order.
	Routes []routeHeld `json:"routes,omitempty"`
}

// routeHeld holds a route's targets in one Pod of the data plane.
type routeHeld struct {
	// Known is false while the Pod's configuration lacks the route.
	Known     bool     `json:"known,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	// Seconds is the number of seconds for which these addresses have differed from the Pods behind
	// the route, with both unchanged.
	Seconds int `json:"seconds,omitempty"`
}

// upstreamsSlack is the time beyond two Resync intervals after which a difference is Stuck. ADC
// limits one round to 15 s (exec_adc_timeout).
const upstreamsSlack = 30 * time.Second

// These are the names of the checks that are not about a single Pod of the data plane.
const (
	routesCheck = "routes"
	planeCheck  = "data plane"
)

// judgeUpstreams judges whether every Pod of the data plane sends each route's requests to the
// ready Pods, and to no others. The controller's statuses prove nothing: they do not change if the
// data plane refuses its configuration (apisix-ingress-controller#2774, #2699).
func judgeUpstreams(spec Spec, f upstreamsFacts) []health.Verdict {
	if f.Fault != nil {
		return f.FaultVerdicts(routesCheck, planeCheck)
	}
	verdicts := []health.Verdict{judgeRoutes(f)}
	if len(f.Planes) == 0 {
		return append(verdicts, health.Verdict{
			Check: planeCheck, State: health.Waiting,
			Message: fmt.Sprintf("no Pod with %s runs in %s", spec.Selector, spec.Namespace),
			Hint:    fmt.Sprintf("kubectl -n %s get pods -l %s", spec.Namespace, spec.Selector),
		})
	}
	for _, plane := range f.Planes {
		v := judgePlane(spec, f, plane)
		v.Check, v.After = planeCheck+" "+plane.Pod, []string{routesCheck}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// judgeRoutes requires that each route exists and has a ready Pod. Otherwise nothing can be
// compared with the data plane.
func judgeRoutes(f upstreamsFacts) health.Verdict {
	for _, route := range f.Routes {
		kind, name, _ := strings.Cut(route.Route, " ")
		namespace, name, _ := strings.Cut(name, "/")
		v := health.Verdict{Check: routesCheck, State: health.Waiting,
			Hint: fmt.Sprintf("kubectl -n %s describe %s %s", namespace,
				strings.ToLower(kind), name)}
		switch {
		case route.Missing:
			v.Message = route.Route + " does not exist"
			v.Hint = fmt.Sprintf("kubectl -n %s get %s", namespace, strings.ToLower(kind))
		case route.Behind != "":
			v.Message = route.Route + ": " + route.Behind
			v.Hint = fmt.Sprintf("kubectl -n %s get services,endpointslices,pods -o wide",
				namespace)
		case len(route.Addresses) == 0:
			v.Message = route.Route + ": no Pod is ready behind it"
			v.Hint = fmt.Sprintf("kubectl -n %s get services,endpointslices,pods -o wide",
				namespace)
		default:
			continue
		}
		return v
	}
	return health.Verdict{Check: routesCheck, State: health.Ready}
}

// judgePlane judges whether one Pod of the data plane has the expected addresses for each route.
func judgePlane(spec Spec, f upstreamsFacts, plane planeSeen) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe pod %s", spec.Namespace, plane.Pod)}
	switch {
	case plane.Error != "":
		v.Message = fmt.Sprintf("does not answer on port %d: %s", spec.Port,
			health.OneLine(plane.Error))
		return v
	case plane.Status != http.StatusOK:
		v.Message = fmt.Sprintf("expected its configuration, found HTTP %d", plane.Status)
		v.Cause = planeCauses[plane.Status]
		return v
	}
	var differ []string
	longest := 0
	for i, held := range plane.Routes {
		if why := difference(f.Routes[i], held); why != "" && f.Routes[i].Behind == "" &&
			!f.Routes[i].Missing {
			differ, longest = append(differ, f.Routes[i].Route+": "+why), max(longest, held.Seconds)
		}
	}
	if len(differ) == 0 {
		return health.Verdict{State: health.Ready}
	}
	v.Message = differ[0]
	if more := len(differ) - 1; more > 0 {
		v.Message += fmt.Sprintf("; and %d more of %d routes", more, len(plane.Routes))
		v.Evidence = differ
	}
	namespace, name, _ := strings.Cut(spec.Controller, "/")
	v.Hint = fmt.Sprintf("kubectl -n %s logs %s --all-containers --tail=50; kubectl -n %[1]s "+
		"rollout restart %[2]s", namespace, name)
	v.Cause = "the controller has not sent the change yet, or the data plane refused it"
	if longest >= int((2*spec.Resync.Duration+upstreamsSlack)/time.Second) {
		v.State = health.Stuck
		v.Cause = fmt.Sprintf("the controller sends everything every %s, and twice in a row this "+
			"did not change: what it sends is old, or refused", spec.Resync.Duration)
	}
	return v
}

// planeCauses explains the status codes of the admin API (apisix/admin/init.lua: check_token;
// nginx' allow and deny).
var planeCauses = map[int]string{
	http.StatusUnauthorized: "the Pod was started with other keys than the Secret has now",
	http.StatusForbidden: "apisix.admin.allow.ipList does not have the Pod's own loopback, " +
		"which a forwarded port comes from",
	http.StatusNotFound: "it is not standalone: only that gives its configuration",
}

// difference describes how a route in a Pod of the data plane differs from the expected one; empty
// if it does not.
func difference(want routeSeen, held routeHeld) string {
	if !held.Known {
		return "nothing of it"
	}
	less := func(from, others []string) []string {
		return slices.DeleteFunc(slices.Clone(from),
			func(one string) bool { return slices.Contains(others, one) })
	}
	var parts []string
	for _, part := range []struct {
		word      string
		addresses []string
	}{{"stale", less(held.Addresses, want.Addresses)},
		{"missing", less(want.Addresses, held.Addresses)}} {
		if len(part.addresses) > 0 {
			parts = append(parts, part.word+" "+strings.Join(part.addresses, " "))
		}
	}
	return strings.Join(parts, ", ")
}
