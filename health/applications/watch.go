package applications

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var applicationResource = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
	Resource: "applications"}

type applicationsWatch struct {
	spec   Spec
	stable *observe.Stable
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &applicationsWatch{spec: s, stable: observe.NewStable(time.Now)}
	return kube.NewWatch(spec, secrets, kube.Watch[applicationsFacts]{
		Stable:  w.stable,
		Sources: []kube.Source{{Resource: applicationResource, Namespace: s.Namespace}},
		Read:    w.read,
		Judge: func(facts applicationsFacts) []health.Verdict {
			return judgeApplications(s, facts)
		},
	})
}
