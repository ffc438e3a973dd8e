package webhook

import (
	"context"
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/health/kube"
)

// answerKind classifies the answer to a dry run.
type answerKind string

const (
	// answerAccepted: admission accepted the object.
	answerAccepted answerKind = "accepted"
	// answerDenied: an admission webhook denied the request.
	answerDenied answerKind = "denied"
	// answerNoEndpoints: the webhook's Service has no ready Pod.
	answerNoEndpoints answerKind = "no endpoints"
	// answerRefused: the Pod does not listen (yet).
	answerRefused answerKind = "refused"
	// answerNoDial: K3s, which dials for its API server, got no connection. Only K3s's log has the
	// reason.
	answerNoDial answerKind = "no connection"
	// answerUnknownCA: no CA in caBundle signed the serving certificate.
	answerUnknownCA answerKind = "unknown authority"
	// answerName: the serving certificate is for another name.
	answerName answerKind = "wrong name"
	// answerExpired: the serving certificate is not valid now.
	answerExpired answerKind = "bad certificate"
	// answerTimeout: the webhook did not answer the API server in time.
	answerTimeout answerKind = "timeout"
	// answerUnreachable: the API server has no route to the webhook.
	answerUnreachable answerKind = "unreachable"
	// answerNotServed: the API server does not know the kind, or the namespace is missing.
	answerNotServed answerKind = "not served"
	// answerInvalid: the object does not fit its schema, so no webhook was called.
	answerInvalid answerKind = "invalid"
	// answerForbidden: a policy or quota, and not a webhook, refused the object.
	answerForbidden answerKind = "forbidden"
	// answerNoDryRun: the webhook does not support dry runs.
	answerNoDryRun answerKind = "no dry run"
	// answerAPI: the API server itself gave no usable answer.
	answerAPI answerKind = "api"
	// answerOther: any other answer; its text explains it.
	answerOther answerKind = "other"
)

// answer holds the outcome of one dry run.
type answer struct {
	Kind answerKind `json:"kind"`
	Text string     `json:"text,omitempty"`
}

// webhookFault is a failure between the API server and the webhook. It is recognised by the API
// server's message, because there is no error code
// (k8s.io/apiserver/pkg/admission/plugin/webhook/errors; cert-manager's cmapichecker does the
// same).
type webhookFault struct {
	pattern *regexp.Regexp
	kind    answerKind
}

// webhookFaults are tried in order, because a message may match several patterns.
var webhookFaults = []webhookFault{
	{regexp.MustCompile(`does not support dry run`), answerNoDryRun},
	{regexp.MustCompile(`no endpoints available for service|service "[^"]*" not found`),
		answerNoEndpoints},
	{regexp.MustCompile(`x509: certificate signed by unknown authority|certificate is not trusted`),
		answerUnknownCA},
	{regexp.MustCompile(`x509: certificate is (valid for|not valid for any names)|x509: cannot validate certificate for|doesn't contain any IP SANs`), answerName},
	{regexp.MustCompile(`x509: certificate has expired or is not yet valid`), answerExpired},
	{regexp.MustCompile(`i/o timeout|context deadline exceeded|Client\.Timeout|timed out|TLS handshake timeout`), answerTimeout},
	{regexp.MustCompile(`connect: connection refused`), answerRefused},
	// K3s releases of 2023 answer 503 (k3s-io/k3s pkg/daemons/control/tunnel.go, serveConnect).
	{regexp.MustCompile(`proxy error from \S+ while dialing \S+, code 50[23]`), answerNoDial},
	{regexp.MustCompile(`no route to host|network is unreachable`), answerUnreachable},
}

// denial matches an API server's message about a request that a webhook denied. No other message
// has this form.
var denial = regexp.MustCompile(`admission webhook "[^"]+" denied the request`)

// answerOf classifies the outcome of a dry run.
func answerOf(err error) answer {
	if err == nil {
		return answer{Kind: answerAccepted}
	}
	if apierrors.IsAlreadyExists(err) {
		// The API server checks for an object of the same name only after admission, so the webhook
		// has accepted (k8s.io/apiserver registry.Store.create).
		return answer{Kind: answerAccepted, Text: kube.Stable(err.Error())}
	}
	text := kube.Stable(err.Error())
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		if errors.Is(err, context.DeadlineExceeded) {
			return answer{Kind: answerTimeout, Text: text}
		}
		return answer{Kind: answerAPI, Text: text}
	}
	return answer{Kind: statusKind(err, text), Text: text}
}

func statusKind(err error, text string) answerKind {
	if denial.MatchString(text) {
		return answerDenied
	}
	if strings.Contains(text, "failed calling webhook") ||
		strings.Contains(text, "admission webhook") {
		for _, f := range webhookFaults {
			if f.pattern.MatchString(text) {
				return f.kind
			}
		}
		return answerOther
	}
	switch {
	case apierrors.IsNotFound(err):
		return answerNotServed
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return answerInvalid
	case apierrors.IsForbidden(err):
		return answerForbidden
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return answerTimeout
	case apierrors.IsUnauthorized(err), apierrors.IsServiceUnavailable(err),
		apierrors.IsTooManyRequests(err):
		return answerAPI
	default:
		return answerOther
	}
}
