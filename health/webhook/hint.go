package webhook

import (
	"fmt"
	"strings"
)

// probeCause returns the likely reason for a failed dry run; empty if none is known. The reason for
// a network fault names the API server.
func probeCause(p probeFacts) string {
	switch p.Accept.Kind {
	case answerNoEndpoints:
		return "the webhook is starting, or its Service is not created yet: it has a ready Pod " +
			"only once its certificate is issued and mounted"
	case answerRefused:
		return "the webhook is starting: its Deployment runs, but it listens only once its " +
			"certificate is issued and mounted"
	case answerNoDial:
		return "the webhook is starting, or there is no route to its Pod from API server " + p.Server
	case answerUnknownCA:
		return "the webhook's CA is not injected yet, or the API server still uses the one before"
	case answerTimeout, answerUnreachable:
		return "network fault between API server " + p.Server +
			" and the webhook's Pod: Pod network, kube-proxy or a firewall on that server"
	case answerName, answerExpired:
		return "the serving certificate was made for another Service, or by another clock"
	case answerDenied:
		return "what the gate asks for does not fit this webhook, or its rules reject everything"
	case answerForbidden:
		return "an admission policy, quota or missing right, not the webhook"
	case answerInvalid:
		return "the gate's object is not of the version that the CRD serves"
	case answerNotServed:
		return "the CRD is not established on this API server, or the namespace does not exist"
	default:
		return ""
	}
}

// strangerCause explains a wrong certificate that only one API server gets, or that is not for a
// Service of a cluster. Before kube-proxy and flannel run on a server that joins or returns, its
// requests for a Service go to the default gateway, where a proxy may answer for any server. If the
// webhook's only Pod is on that server, no other server gets an answer either.
const strangerCause = "another machine answers in place of this server: kube-proxy or flannel is " +
	"not up on it yet, and the request leaves the host"

// strange reports whether the serving certificate is for another name than the webhook's.
func (p probeFacts) strange() bool { return p.Accept.Kind == answerName }

// clusterName reports whether the certificate is for a Service of a cluster. Such a certificate
// belongs to another webhook.
func (p probeFacts) clusterName() bool {
	shown, _, _ := strings.Cut(p.Accept.Text, ", not ")
	return strings.Contains(shown, ".svc") || strings.Contains(shown, "not valid for any names")
}

// probeHint returns the command that shows more.
func probeHint(spec Spec, kind answerKind) string {
	switch kind {
	case answerUnknownCA, answerName, answerExpired:
		return fmt.Sprintf("compare caBundle in %s %s with the certificate that "+
			"%s.%s.svc:%d serves", configurationName(spec), spec.Configuration, spec.Service,
			spec.Namespace, spec.Port)
	case answerTimeout, answerUnreachable:
		return fmt.Sprintf("on the server: curl -kv https://$(kubectl -n %s get svc %s -o "+
			"jsonpath='{.spec.clusterIP}'):%d", spec.Namespace, spec.Service, spec.Port)
	case answerNoDial:
		return "on that server, journalctl -u k3s | grep 'HTTP 502' has the reason; kubectl -n " +
			spec.Namespace + " get pods,endpointslices"
	case answerNotServed:
		return "kubectl api-resources; kubectl get namespace " + spec.Namespace
	case answerAPI:
		return "kubectl get --raw '/readyz?verbose'"
	case answerAccepted, answerDenied, answerForbidden, answerInvalid, answerNoDryRun:
		return "kubectl get " + configurationName(spec) + " " + spec.Configuration + " -o yaml"
	default:
		return "kubectl -n " + spec.Namespace + " get pods,endpointslices"
	}
}

// kindOfObject returns apiVersion and kind for messages.
func kindOfObject(object map[string]any) string {
	return fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])
}
