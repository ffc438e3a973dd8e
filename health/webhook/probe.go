package webhook

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/observe"
)

// judgeProbe judges the dry runs through one API server. It judges Accept first, because Accept's
// answer explains other failures.
func judgeProbe(spec Spec, p probeFacts) health.Verdict {
	if p.Accept.Kind != answerAccepted {
		return judgeNotAccepted(spec, p)
	}
	if len(p.Unfilled) > 0 {
		return judgeNotMutated(spec, p)
	}
	if len(spec.Deny) > 0 && !deniedBy(spec, p.Deny) {
		return judgeNotDenied(spec, p)
	}
	if p.Passes < passesNeeded(spec) {
		return health.Verdict{State: health.Waiting,
			Message: fmt.Sprintf("served, not yet %d times in a row", passesNeeded(spec))}
	}
	return health.Verdict{State: health.Ready}
}

// passesNeeded returns the number of passes in a row that open the gate.
func passesNeeded(s Spec) int {
	switch {
	case s.Consecutive > 0:
		return s.Consecutive
	case len(s.Deny) == 0:
		return consecutiveUnproved
	default:
		return consecutiveDefault
	}
}

// probePassed reports whether both dry runs gave the expected answers.
func probePassed(s Spec, p probeFacts) bool {
	return p.Accept.Kind == answerAccepted && len(p.Unfilled) == 0 &&
		(len(s.Deny) == 0 || deniedBy(s, p.Deny))
}

// deniedBy reports whether the webhook itself refused the object, and not a schema, a quota or
// another webhook.
func deniedBy(spec Spec, a answer) bool {
	return a.Kind == answerDenied && strings.Contains(a.Text, spec.DenyMatch)
}

func judgeNotAccepted(spec Spec, p probeFacts) health.Verdict {
	v := health.Verdict{State: health.Waiting, Message: probeMessage(p.Accept.Kind),
		Evidence: []string{p.Accept.Text}, Cause: probeCause(p),
		Hint: probeHint(spec, p.Accept.Kind)}
	switch p.Accept.Kind {
	case answerDenied, answerForbidden, answerInvalid:
		if spec.Mutates != "" && strings.Contains(p.Accept.Text, unmutated) {
			v.Cause, v.Hint = notMutated(spec)
			return v
		}
		if p.Seconds >= deniedSeconds {
			v.State = health.Stuck
		}
	case answerName, answerExpired:
		if p.Seconds >= observe.NoticeSeconds {
			v.State = health.Stuck
		}
	case answerNoDryRun:
		v.State = health.Stuck
	default: // waiting may help with all other answers
	}
	return v
}

// judgeNotMutated judges an accepted object whose fields the mutating webhook has not filled in,
// because the API server does not call it (cert-manager pkg/util/cmapichecker,
// ErrMutationWebhookMissing).
func judgeNotMutated(spec Spec, p probeFacts) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Message: "accepted but not mutated: " + strings.Join(p.Unfilled, ", ") + " empty"}
	v.Cause, v.Hint = notMutated(spec)
	if p.Accept.Text != "" {
		v.Evidence = []string{p.Accept.Text}
	}
	return v
}

// unmutated is the refusal of cert-manager's validating webhook for a request that the mutating
// webhook has not filled in (internal/webhook/admission/certificaterequest/identity; cmapichecker's
// ErrMutationWebhookIncorrect).
const unmutated = "identity must be that of the requester"

func notMutated(spec Spec) (cause, hint string) {
	mutation := spec
	if spec.Mutates != "" {
		mutation = mutationOf(spec)
	}
	return "the API server does not ask the mutating webhook (yet)",
		"kubectl get " + configurationName(mutation) + " " + mutation.Configuration + " -o yaml"
}

// judgeNotDenied judges an API server through which this webhook did not refuse the Deny object.
// Without the Deny object, the gate would open in this situation.
func judgeNotDenied(spec Spec, p probeFacts) health.Verdict {
	v := health.Verdict{State: health.Waiting, Hint: probeHint(spec, p.Deny.Kind),
		Cause: "the API server does not ask this webhook (yet)"}
	v.Message = "an object that the webhook must refuse was accepted"
	if p.Deny.Kind != answerAccepted {
		v.Message = "an object that the webhook must refuse was not refused by it: " +
			probeMessage(p.Deny.Kind)
		v.Evidence = []string{p.Deny.Text}
		v.Cause = probeCause(probeFacts{Server: p.Server, Accept: p.Deny})
	}
	stable := p.Deny.Kind == answerAccepted || p.Deny.Kind == answerDenied ||
		p.Deny.Kind == answerInvalid
	if stable && p.Seconds >= observe.NoticeSeconds {
		v.State = health.Stuck
	}
	return v
}

// probeMessage returns the message for an answer.
func probeMessage(kind answerKind) string {
	switch kind {
	case answerDenied:
		return "the webhook refuses an object that it must accept"
	case answerNoEndpoints:
		return "the webhook's Service has no ready Pod"
	case answerRefused:
		return "the webhook's Pod does not listen yet"
	case answerNoDial:
		return "the API server gets no connection to the webhook's Pod"
	case answerUnknownCA:
		return "the API server does not trust the webhook's certificate (caBundle of another CA)"
	case answerName:
		return "the webhook's certificate is for other names"
	case answerExpired:
		return "the webhook's certificate is not valid now"
	case answerTimeout:
		return "no answer from the webhook in time"
	case answerUnreachable:
		return "the API server has no route to the webhook"
	case answerNotServed:
		return "the API server does not serve the object's kind, or its namespace is missing"
	case answerInvalid:
		return "the object does not fit its schema"
	case answerForbidden:
		return "a policy forbids the object"
	case answerNoDryRun:
		return "the webhook does not support dry runs"
	case answerAPI:
		return "the API server cannot be asked"
	default:
		return "the dry run failed"
	}
}
