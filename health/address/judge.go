package address

import (
	"fmt"

	"strata/health"
	"strata/health/host"
	"strata/health/kube"
	"strata/health/observe"
)

// addressFacts describes a Service of type LoadBalancer, and the last attempts to connect to it.
type addressFacts struct {
	kube.APIFault

	Service   ServiceSeen        `json:"service"`
	Endpoints kube.EndpointFacts `json:"endpoints"`
	// Dials are the last connection attempts from this machine, one for each port.
	Dials []dialFacts `json:"dials,omitempty"`
	// Who describes the machine that answers for the address, according to this machine's ARP
	// table.
	Who answererFacts `json:"who,omitzero"`
	// Away is the number of seconds for which no connection from this machine has found the
	// address. After awaySeconds, each host looks up who answers for the address, and Announced has
	// the results.
	Away      int            `json:"away,omitempty"`
	Announced []announcement `json:"announced,omitempty"`
	// nodes are the addresses of the cluster's nodes by name.
	nodes map[string]string
	// Hosts has the last connection attempts from the hosts. Hosts.Address is the Service's IP
	// address.
	Hosts host.HostsFacts `json:"hosts,omitzero"`
}

// ServiceSeen describes the observed Service.
type ServiceSeen struct {
	Missing bool   `json:"missing,omitempty"`
	Type    string `json:"type,omitempty"`
	Class   string `json:"class,omitempty"`
	// Local is true if the Service has externalTrafficPolicy Local.
	Local bool `json:"local,omitempty"`
	// Address is status.loadBalancer.ingress[0].ip.
	Address string `json:"address,omitempty"`
	// Pool is the pool of an address that MetalLB assigned.
	Pool string `json:"pool,omitempty"`
	// Unannounced is true if no speaker of MetalLB announces the address.
	Unannounced bool `json:"unannounced,omitempty"`
	// Refusal is the newest Warning event about the Service while it has no address. Seconds is the
	// number of seconds for which that event has been the newest.
	Refusal string `json:"refusal,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
	// Events are the Service's Warning events as evidence.
	Events []string `json:"events,omitempty"`
}

// dialFacts is the last attempt to connect to one port.
type dialFacts struct {
	Port int `json:"port"`
	// Seen is false before the first attempt. Error is the reason why the last attempt got no
	// connection.
	Seen  bool   `json:"seen,omitempty"`
	Error string `json:"error,omitempty"`
	// Way describes a fault of the tunnel that made the attempt fail.
	Way observe.Way `json:"way,omitzero"`
}

// Name returns the Service as namespace/name.
func Name(s Spec) string { return s.Namespace + "/" + s.Service }

// judgeAddress judges whether the Service can be reached from outside. An assigned address is not
// enough, because perhaps no node announces it yet or no Pod serves it yet.
func judgeAddress(spec Spec, f addressFacts) []health.Verdict {
	assigned, endpoints := "address "+Name(spec), "endpoints "+Name(spec)
	if f.Fault != nil {
		return f.FaultVerdicts(assigned, endpoints)
	}
	verdicts := []health.Verdict{JudgeAssigned(spec, f.Service),
		judgeServiceEndpoints(spec, f.Endpoints)}
	if f.Service.Missing { // a Service that does not exist selects no Pods
		verdicts[1] = kube.NotSeen(assigned, endpoints)[0]
	}
	verdicts[0].Check, verdicts[1].Check = assigned, endpoints
	after := []string{assigned, endpoints}
	dials := judgeDials(spec, f.Service.Address, f.Dials)
	here := judgeAway(judgeLocal(judgeAnswerer(dials, f.Service.Address, f.Who), f.Service), f)
	here = judgeAnnounced(spec, here, f.Service)
	here.Check, here.After = "address from here", after
	return append(append(verdicts, here), judgeAddressFromHosts(f.Hosts, after)...)
}

// JudgeAssigned judges whether the Service has an address. If Spec.Want is set, the address must be
// Spec.Want. The caller sets the verdict's Check.
func JudgeAssigned(spec Spec, s ServiceSeen) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe service %s", spec.Namespace, spec.Service)}
	switch {
	case s.Missing:
		v.Message = "the Service does not exist"
		v.Hint = fmt.Sprintf("kubectl -n %s get services", spec.Namespace)
	case s.Type != "LoadBalancer":
		v.State = health.Stuck
		v.Message = "the Service is of type " + observe.OrNone(s.Type) + ", expected LoadBalancer"
	case s.Address == "":
		judgePending(&v, s)
	case spec.Want != "" && s.Address != spec.Want:
		v.Message = fmt.Sprintf("has %s, expected %s", s.Address, spec.Want)
		v.Cause = "the Service asks for another address, or MetalLB has not moved it yet"
		v.Hint = fmt.Sprintf("kubectl -n %s get service %s -o yaml: annotation "+
			"metallb.io/loadBalancerIPs", spec.Namespace, spec.Service)
	default:
		return health.Verdict{State: health.Ready}
	}
	return v
}

func judgeServiceEndpoints(spec Spec, e kube.EndpointFacts) health.Verdict {
	if len(e.Ready) > 0 {
		return health.Verdict{State: health.Ready}
	}
	cause := "its Pods are not Ready"
	if len(e.NotReady) == 0 {
		cause = "no Pod has the labels of the Service's selector"
	}
	return health.Verdict{
		State: health.Waiting, Cause: cause,
		Message: fmt.Sprintf("no ready address behind the Service, %d not ready", len(e.NotReady)),
		Hint: "kubectl -n " + spec.Namespace +
			" get pods,endpointslices -l kubernetes.io/service-name=" + spec.Service,
	}
}
