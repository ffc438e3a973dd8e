package applications

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var applicationResource = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
	Resource: "applications"}

type applicationsWatch struct {
	spec    Spec
	cluster *kube.Cluster
	stable  *observe.Stable
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	all, err := kube.ClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &applicationsWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now)}, nil
}

// Run implements Watch.
func (w *applicationsWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	sources := []kube.Source{{Resource: applicationResource, Namespace: w.spec.Namespace}}
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict {
		return judgeApplications(w.spec, w.observe(ctx))
	}, report)
	return nil
}

func (w *applicationsWatch) observe(ctx context.Context) applicationsFacts {
	var facts applicationsFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable,
		func(ctx context.Context, s *kube.APIServer) error {
			facts.Applications = nil
			for _, name := range w.spec.Names {
				object, err := kube.Get[applicationObject](ctx, s, applicationResource,
					w.spec.Namespace, name)
				if err != nil {
					return err
				}
				seen := object.facts(name)
				if seen.Brings, err = w.listDescendants(ctx, s, object); err != nil {
					return err
				}
				facts.Applications = append(facts.Applications, seen)
			}
			return nil
		})
	if fault != nil {
		return applicationsFacts{Fault: fault, Seconds: seconds}
	}
	for i := range facts.Applications {
		one := &facts.Applications[i]
		for j := range one.Brings {
			w.setSeconds(&one.Brings[j])
		}
		w.setSeconds(one)
	}
	return facts
}
