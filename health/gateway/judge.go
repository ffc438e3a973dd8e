package gateway

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// gatewayFacts describes a GatewayClass and a Gateway.
type gatewayFacts struct {
	kube.APIFault
	Class   classSeen   `json:"class"`
	Gateway gatewaySeen `json:"gateway"`
}

// classSeen describes the GatewayClass (gateway-api apis/v1/gatewayclass_types.go).
type classSeen struct {
	Missing    bool  `json:"missing,omitempty"`
	Deleting   bool  `json:"deleting,omitempty"`
	Generation int64 `json:"generation,omitempty"`
	// Controller is spec.controllerName: only the controller that has this name reconciles the
	// class.
	Controller string         `json:"controller,omitempty"`
	Accepted   kube.Condition `json:"accepted,omitzero"`
}

// gatewaySeen describes the Gateway (gateway-api apis/v1/gateway_types.go).
type gatewaySeen struct {
	Missing    bool  `json:"missing,omitempty"`
	Deleting   bool  `json:"deleting,omitempty"`
	Generation int64 `json:"generation,omitempty"`
	// Class is spec.gatewayClassName.
	Class      string         `json:"class,omitempty"`
	Accepted   kube.Condition `json:"accepted,omitzero"`
	Programmed kube.Condition `json:"programmed,omitzero"`
	// Listeners are the listeners of the Gateway's spec, with their status.
	Listeners []listenerSeen `json:"listeners,omitempty"`
}

// listenerSeen describes one listener.
type listenerSeen struct {
	Name string `json:"name"`
	// Reported is true if the Gateway's status mentions the listener.
	Reported   bool             `json:"reported,omitempty"`
	Conditions []kube.Condition `json:"conditions,omitempty"`
	// Routes counts the attached routes.
	Routes int `json:"routes,omitempty"`
}

func gatewayCheck(s Spec) string { return "gateway " + s.Namespace + "/" + s.Name }

// judgeGateway judges whether a Gateway serves its present spec. One working listener makes the
// Gateway's own conditions True (Traefik pkg/provider/kubernetes/gateway). So each listener in use
// has a check of its own.
func judgeGateway(spec Spec, f gatewayFacts) []health.Verdict {
	class := "gatewayclass " + spec.Class
	if f.Fault != nil {
		return f.FaultVerdicts(class, gatewayCheck(spec))
	}
	verdicts := []health.Verdict{judgeClass(spec, f.Class), judgeGatewayItself(spec, f)}
	verdicts[0].Check = class
	verdicts[1].Check = gatewayCheck(spec)
	verdicts[1].After = []string{class}
	for _, name := range spec.Listeners {
		v := judgeListener(spec, f.Gateway, name)
		v.Check, v.After = "listener "+name, []string{class}
		switch {
		case isOutdated(f.Gateway):
			v.After = append(v.After, gatewayCheck(spec))
		case !v.Passes() && f.Gateway.Accepted.Reason == "ListenersNotValid":
			// The listener's verdict has the reason; the Gateway's condition only says that a
			// listener has a problem.
			verdicts[1].After = append(verdicts[1].After, v.Check)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// isOutdated reports whether the Gateway is missing, is being deleted, or has no status for its
// newest generation. The status of its listeners then does not count.
func isOutdated(g gatewaySeen) bool {
	return g.Missing || g.Deleting || g.Accepted.Stale(g.Generation)
}

func judgeClass(spec Spec, c classSeen) health.Verdict {
	v := health.Verdict{State: health.Waiting, Hint: "kubectl describe gatewayclass " + spec.Class}
	switch {
	case c.Missing:
		kube.Absent(&v)
	case c.Deleting:
		v.Message = "is being deleted"
	case isUnreconciled(c.Accepted):
		v.Message = "not reconciled yet: no status from controller " + observe.OrNone(c.Controller)
		v.Cause = "no running controller has that controllerName, or it started before the Gateway API CRDs"
		v.Hint = "compare spec.controllerName with the controller's; restart the controller if its log misses a CRD"
	case c.Accepted.Stale(c.Generation):
		v.Message = kube.StaleMessage(c.Accepted, c.Generation)
	case c.Accepted.Status != "True":
		v.Message = "not accepted: " + conditionMessage(c.Accepted)
		v.Evidence = []string{kube.ConditionLine(c.Accepted)}
		v.Cause = gatewayCauses[c.Accepted.Reason]
	default:
		return health.Verdict{State: health.Ready}
	}
	return v
}

// isUnreconciled reports whether no controller has written a condition. The condition is then
// absent, or the API's default: Unknown with the reason Pending, Waiting or NotReconciled, and
// without a generation.
func isUnreconciled(c kube.Condition) bool {
	return c.Status == "" || c.Status == "Unknown" &&
		slices.Contains([]string{"Pending", "Waiting", "NotReconciled"}, c.Reason)
}

func judgeGatewayItself(spec Spec, f gatewayFacts) health.Verdict {
	g := f.Gateway
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s describe gateway %s", spec.Namespace, spec.Name)}
	switch {
	case g.Missing:
		kube.Absent(&v)
	case g.Deleting:
		v.Message = "is being deleted"
	case g.Class != spec.Class:
		v.State = health.Stuck
		v.Message = fmt.Sprintf("is of class %s, expected %s", observe.OrNone(g.Class), spec.Class)
	case isUnreconciled(g.Accepted):
		v.Message = "not reconciled yet: no status"
		v.Cause = "the controller of its class is not running, or started before the Gateway API CRDs"
		v.Hint = "the controller's log: until each Gateway API CRD is there Traefik tries to " +
			"list them, up to a minute apart, although its Pod is Ready"
	default:
		return judgeConditions(v, g.Generation, g.Accepted, g.Programmed)
	}
	return v
}

// judgeConditions requires every condition to be True at the object's newest generation.
func judgeConditions(
	v health.Verdict, generation int64, conditions ...kube.Condition,
) health.Verdict {
	for _, c := range conditions {
		switch {
		case c.Stale(generation):
			v.Message = kube.StaleMessage(c, generation)
		case c.Status != "True":
			v.Message = c.Type + " is " + c.Status + ": " + conditionMessage(c)
			v.Cause = gatewayCauses[c.Reason]
		default:
			continue
		}
		v.Evidence = []string{kube.ConditionLine(c)}
		return v
	}
	return health.Verdict{State: health.Ready}
}

// conditionMessage returns a condition's reason and message.
func conditionMessage(c kube.Condition) string {
	if c.Message == "" {
		return observe.OrNone(c.Reason)
	}
	return strings.TrimPrefix(c.Reason+", ", ", ") + health.OneLine(c.Message)
}
