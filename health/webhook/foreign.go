package webhook

import (
	"regexp"
	"slices"

	"strata/health"
	"strata/health/kube"
)

// asked matches the name of the webhook in the API server's message
// (k8s.io/apiserver/pkg/admission/plugin/webhook/errors).
var asked = regexp.MustCompile(`(?:failed calling|admission) webhook "([^"]+)"`)

// judgeForeign blames a webhook of another configuration, such as a policy engine's, if the API
// server asks it about the same object and it fails or denies. Such webhooks are often asked about
// every object.
func judgeForeign(v health.Verdict, facts webhookFacts, p probeFacts) health.Verdict {
	said := p.Accept
	if said.Kind == answerAccepted {
		said = p.Deny
	}
	found := asked.FindStringSubmatch(said.Text)
	if v.Passes() || found == nil || !facts.isForeign(found[1]) {
		return v
	}
	does := "does not answer"
	if said.Kind == answerDenied {
		does = "denies it"
	}
	v.Evidence = []string{said.Text}
	v.Message = "another webhook, " + found[1] + ", is asked about the object and " + does
	v.Cause = "something else installed that webhook, and the API server asks it about this " +
		"platform's objects as well"
	v.Hint = kube.OtherWebhookHint
	return v
}

// isForeign reports whether no configuration of the gate has a webhook of this name. It is false
// while the configurations are missing.
func (f webhookFacts) isForeign(name string) bool {
	hooks := f.Configuration.Hooks
	if f.Mutation != nil {
		hooks = slices.Concat(hooks, f.Mutation.Hooks)
	}
	return len(hooks) > 0 && !slices.ContainsFunc(hooks,
		func(hook hookFacts) bool { return hook.Name == name })
}
