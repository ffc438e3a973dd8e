package crds

import (
	"context"
	"sync"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

type crdsWatch struct {
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
	return &crdsWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now)}, nil
}

// Run implements health.Watch. It watches each CRD by its name, because all CRDs of a cluster are
// megabytes. When every CRD is Established, Run polls discovery, because discovery cannot be
// watched and each API server serves a CRD only a moment later.
func (w *crdsWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var sources []kube.Source
	for _, name := range w.spec.Names {
		sources = append(sources, kube.Source{Resource: kube.CRDResource, Name: name})
	}
	changed := make(chan struct{}, 1)
	var follower sync.WaitGroup
	follower.Go(func() { w.cluster.Follow(ctx, changed, sources) })
	report = observe.ChangesOnly(report)
	for ctx.Err() == nil {
		facts := kube.ObserveOnce(ctx, w.cluster, w.stable, w.read)
		until := time.Now().Add(observe.Interval)
		for again := true; again && ctx.Err() == nil; {
			facts.Servers = w.discover(ctx, facts)
			if ctx.Err() == nil {
				report(judgeCRDs(w.spec, facts))
			}
			again = !observe.WaitFor(ctx, changed, discoveryInterval) && time.Now().Before(until)
		}
	}
	follower.Wait()
	return nil
}

// discoveryInterval is the pause between two observations of the API servers' discovery.
const discoveryInterval = 100 * time.Millisecond
