package namespace

import (
	"strata/health"
	"strata/health/kube"
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	return kube.NewWatch(spec, secrets, kube.Watch[namespaceFacts]{
		Sources: []kube.Source{{Resource: kube.NamespaceResource, Name: s.Name}},
		Read:    s.read,
		Judge:   func(facts namespaceFacts) []health.Verdict { return judgeNamespace(s, facts) },
	})
}
