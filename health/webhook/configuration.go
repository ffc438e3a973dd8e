package webhook

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/observe"
)

// judgeConfigurations judges the Spec's Configuration and, if it is set, Mutates.
func judgeConfigurations(spec Spec, facts webhookFacts) []health.Verdict {
	verdicts := []health.Verdict{judgeConfiguration(spec, facts.Configuration)}
	if facts.Mutation != nil {
		mutation := judgeConfiguration(mutationOf(spec), *facts.Mutation)
		mutation.Check = "mutating " + mutation.Check
		verdicts = append(verdicts, mutation)
	}
	return verdicts
}

// mutationOf returns the Spec with Mutates in place of Configuration.
func mutationOf(s Spec) Spec {
	s.Configuration, s.Mutating, s.Deny = s.Mutates, true, nil
	return s
}

// proves reports whether the dry runs show that the API server calls the webhook, even with
// failurePolicy Ignore.
func proves(s Spec) bool {
	return len(s.Deny) > 0 || s.Mutating && len(s.AcceptFills) > 0
}

// hasConfigurations reports whether every configuration exists. If one is missing, an API server
// may accept any object, and a dry run proves nothing.
func (f webhookFacts) hasConfigurations() bool {
	return f.Fault == nil && !f.Configuration.Missing && (f.Mutation == nil || !f.Mutation.Missing)
}

// configurationName returns the configuration's resource as kubectl names it.
func configurationName(s Spec) string {
	if s.Mutating {
		return "mutatingwebhookconfiguration"
	}
	return "validatingwebhookconfiguration"
}

func judgeConfiguration(spec Spec, c configurationFacts) health.Verdict {
	v := health.Verdict{Check: configurationCheck(spec), State: health.Waiting,
		Hint: "kubectl get " + configurationName(spec) + " " + spec.Configuration + " -o yaml"}
	switch {
	case c.Missing:
		v.Message = "does not exist: the API server would call no webhook"
		v.Cause = "it was deleted, or its release is not installed yet"
		v.Hint = "if it was deleted: pulumi up puts it back"
		return v
	case c.NoCA:
		v.Message = fmt.Sprintf("Secret %s/%s has no ca.crt yet", spec.Namespace, spec.CASecret)
		return v
	}
	if hooks := hooksWith(c.Hooks, "empty"); len(hooks) > 0 {
		v.Message = "no caBundle yet in " + strings.Join(hooks, ", ")
		v.Cause = "what injects the CA has not run"
		return v
	}
	if hooks := hooksWith(c.Hooks, "different"); len(hooks) > 0 {
		v.Message = fmt.Sprintf("caBundle is not ca.crt of Secret %s/%s in %s", spec.Namespace,
			spec.CASecret, strings.Join(hooks, ", "))
		v.Cause = "the CA is of an earlier certificate, or something else writes the configuration"
		return v
	}
	return judgeCoverage(spec, c, v)
}

func hooksWith(hooks []hookFacts, bundle string) []string {
	var names []string
	for _, hook := range hooks {
		if hook.Bundle == bundle {
			names = append(names, hook.Name)
		}
	}
	return names
}

// judgeCoverage is Stuck if a dry run of Accept does not reach this webhook. Such a dry run would
// be accepted without a call of the webhook.
func judgeCoverage(spec Spec, c configurationFacts, v health.Verdict) health.Verdict {
	target := fmt.Sprintf("%s/%s:%d", spec.Namespace, spec.Service, spec.Port)
	v.State = health.Stuck
	for _, hook := range c.Hooks {
		if !hook.Covers {
			continue
		}
		switch {
		case hook.Target != target:
			v.Message = fmt.Sprintf("%s asks %s, expected %s", hook.Name,
				observe.OrNone(hook.Target), target)
			return v
		case hook.Ignore && !proves(spec):
			v.Message = hook.Name + " has failurePolicy Ignore: a dry run passes without it, and " +
				"the gate has nothing that proves it was asked"
			v.Hint = "give the gate a deny object, or for a mutating webhook the fields that it fills"
			return v
		default:
			return health.Verdict{Check: v.Check, State: health.Ready}
		}
	}
	v.Message = "no webhook of it is asked about the creation of " + kindOfObject(spec.Accept) +
		": a dry run would prove nothing"
	return v
}
