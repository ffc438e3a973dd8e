package rollout

import (
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
	"strata/health/rights"
)

type rolloutWatch struct {
	spec      Spec
	workloads []kube.WorkloadRef
	images    map[string][]string
	stable    *observe.Stable
	rights    *rights.Observer
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &rolloutWatch{spec: s, images: spec.Images, stable: observe.NewStable(time.Now)}
	var sources []kube.Source
	for _, text := range s.Workloads {
		ref, err := kube.ParseWorkload(text)
		if err != nil {
			return nil, err
		}
		w.workloads, sources = append(w.workloads, ref), append(sources, ref.Sources()...)
	}
	w.rights = rights.NewObserver(spec, secrets, w.stable)
	return kube.NewWatch(spec, secrets, kube.Watch[rolloutFacts]{
		Stable:  w.stable,
		Sources: sources,
		Read:    w.read,
		Judge:   func(facts rolloutFacts) []health.Verdict { return judgeRollout(s, facts) },
	})
}
