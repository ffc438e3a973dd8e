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
