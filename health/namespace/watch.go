package namespace

import (
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &kube.Watch[namespaceFacts]{
		Cluster: all, Stable: observe.NewStable(time.Now),
		Sources: []kube.Source{{Resource: kube.NamespaceResource, Name: s.Name}},
		Read:    s.read,
		Failed: func(fault *kube.Fault, seconds int) namespaceFacts {
			return namespaceFacts{Fault: fault, Seconds: seconds}
		},
		Judge: func(facts namespaceFacts) []health.Verdict { return judgeNamespace(s, facts) },
	}, nil
}
