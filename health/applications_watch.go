package health

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var applicationResource = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}

type applicationsWatch struct {
	spec    ApplicationsSpec
	cluster *cluster
	settled *settled
}

func newApplications(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &applicationsWatch{spec: *spec.Applications, cluster: all, settled: newSettled(time.Now)}, nil
}

// Run implements Watch.
func (w *applicationsWatch) Run(ctx context.Context, report func([]Verdict)) error {
	sources := []source{{resource: applicationResource, namespace: w.spec.Namespace}}
	w.cluster.observe(ctx, sources, func(ctx context.Context) []Verdict { return judgeApplications(w.spec, w.look(ctx)) }, report)
	return nil
}

func (w *applicationsWatch) look(ctx context.Context) applicationsFacts {
	var facts applicationsFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) error {
		facts.Applications = nil
		for _, name := range w.spec.Names {
			object, err := get[applicationObject](ctx, s, applicationResource, w.spec.Namespace, name)
			if err != nil {
				return err
			}
			seen := object.facts(name)
			if seen.Brings, err = w.brought(ctx, s, object); err != nil {
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
			w.since(&one.Brings[j])
		}
		w.since(one)
	}
	return facts
}
