package gateway

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// gatewayCauses explains the reasons of conditions (gateway-api apis/v1: GatewayConditionReason,
// ListenerConditionReason). No reason makes the verdict Stuck, because a Secret, a grant or an
// address may still be created.
var gatewayCauses = map[string]string{
	"InvalidParameters":    "its parametersRef is wrong",
	"UnsupportedVersion":   "the Gateway API CRDs are of a version that the controller does not know",
	"Unsupported":          "the controller supports no such class",
	"ListenersNotValid":    "at least one listener is not valid",
	"ListenersNotResolved": "at least one listener names something that is not there",
	"AddressNotAssigned":   "its Service has no address yet",
	"AddressNotUsable":     "the wanted address cannot be used",
	"UnsupportedAddress":   "the wanted address is of a type that the controller does not support",
	"NoResources":          "the controller lacks resources to program it",
	"InvalidCertificateRef": "the Secret of a certificateRef is missing, or holds no " +
		"usable key pair: its Certificate must be Ready first",
	"RefNotPermitted":   "no ReferenceGrant allows the reference into the other namespace",
	"InvalidRouteKinds": "the listener allows a kind of route that the controller does not know",
	"PortUnavailable": "nothing listens on that port: with Traefik it must be an " +
		"entry point's port, as in the container",
	"UnsupportedProtocol":         "the controller does not support the protocol",
	"HostnameConflict":            "another listener has the same port and host name",
	"ProtocolConflict":            "another listener has the same port with another protocol",
	"OverlappingHostnames":        "host names of two listeners overlap",
	"Pending":                     "the controller has not got to it yet",
	"NoValidCACertificate":        "no CA for client certificates can be used",
	"InvalidCACertificateRef":     "the CA for client certificates is missing",
	"InvalidCACertificateKind":    "the CA for client certificates is of a kind that is not supported",
	"InvalidClientCertificateRef": "the client certificate is missing",
}

// judgeListener requires a listener to be Programmed, with neither Accepted nor ResolvedRefs False,
// at the Gateway's newest generation.
func judgeListener(spec Spec, g gatewaySeen, name string) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Hint: fmt.Sprintf("kubectl -n %s get gateway %s -o yaml", spec.Namespace, spec.Name)}
	at := slices.IndexFunc(g.Listeners, func(l listenerSeen) bool { return l.Name == name })
	switch {
	case isOutdated(g):
		v.Message = "not seen"
		return v
	case at < 0:
		v.State, v.Message = health.Stuck,
			"the Gateway has no such listener, only "+
				observe.OrNone(strings.Join(listenerNames(g), ", "))
		return v
	case !g.Listeners[at].Reported:
		v.Message, v.Cause = "the status does not mention it yet", gatewayCauses["Pending"]
		return v
	}
	conditions := g.Listeners[at].Conditions
	wanted := []kube.Condition{kube.ConditionOf(conditions, "Programmed")}
	// Only the conditions ResolvedRefs and Accepted have the reason, so check them first.
	for _, kind := range []string{"ResolvedRefs", "Accepted"} {
		if c := kube.ConditionOf(conditions, kind); c.Status == "False" {
			wanted = append([]kube.Condition{c}, wanted...)
		}
	}
	if conflict := kube.ConditionOf(conditions, "Conflicted"); conflicts(conflict) &&
		!conflict.Stale(g.Generation) {
		v.Message = "conflicts: " + conditionMessage(conflict)
		v.Evidence = []string{kube.ConditionLine(conflict)}
		v.Cause = gatewayCauses[conflict.Reason]
		return v
	}
	judged := judgeConditions(v, g.Generation, wanted...)
	if routes := g.Listeners[at].Routes; judged.Passes() && routes < spec.Routes[name] {
		v.Message = fmt.Sprintf("expected at least %d attached routes, found %d",
			spec.Routes[name], routes)
		v.Cause = "the controller has not got to a route yet, or its parentRef or host name does not fit"
		v.Hint = "kubectl get httproutes -A -o yaml"
		return v
	}
	return judged
}

// conflicts reports whether a listener's condition Conflicted reports a conflict. True with the
// reason NoConflicts is no conflict. The API has that reason for False only (gateway-api apis/v1:
// ListenerReasonNoConflicts), but APISIX's controller 2.0.1 and 2.1.0 writes it with True on every
// listener (apisix-ingress-controller internal/controller/utils.go: getListenerStatus). A real
// conflict has a different reason.
func conflicts(c kube.Condition) bool { return c.Status == "True" && c.Reason != "NoConflicts" }

func listenerNames(g gatewaySeen) []string {
	names := make([]string, 0, len(g.Listeners))
	for _, listener := range g.Listeners {
		names = append(names, listener.Name)
	}
	return names
}
