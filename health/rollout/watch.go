package rollout

import (
	"context"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
	"strata/health/rights"
)

type rolloutWatch struct {
	spec      Spec
	cluster   *kube.Cluster
	workloads []kube.WorkloadRef
	images    map[string][]string
	stable    *observe.Stable
	rights    *rights.Observer
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &rolloutWatch{spec: s, images: spec.Images, stable: observe.NewStable(time.Now)}
	for _, text := range s.Workloads {
		ref, err := kube.ParseWorkload(text)
		if err != nil {
			return nil, err
		}
		w.workloads = append(w.workloads, ref)
	}
	w.rights = rights.NewObserver(spec, secrets, w.stable)
	var err error
	w.cluster, err = kube.ClusterOf(spec, secrets)
	return w, err
}

// Run implements Watch.
func (w *rolloutWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var sources []kube.Source
	for _, ref := range w.workloads {
		sources = append(sources, ref.Sources()...)
	}
	w.cluster.Observe(ctx, sources, func(ctx context.Context) []health.Verdict { return judgeRollout(w.spec, w.observe(ctx)) }, report)
	return nil
}

func (w *rolloutWatch) observe(ctx context.Context) rolloutFacts {
	var facts rolloutFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable, func(ctx context.Context, s *kube.APIServer) (err error) {
		facts, err = w.read(ctx, s)
		return err
	})
	if fault != nil {
		return rolloutFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}

func (w *rolloutWatch) read(ctx context.Context, s *kube.APIServer) (facts rolloutFacts, err error) {
	err = observe.InParallel(
		func() (err error) {
			if facts.Workloads, err = kube.ObserveWorkloads(ctx, s, w.workloads, w.images, w.stable); err != nil {
				return err
			}
			facts.Rights, err = w.rights.Observe(ctx, s)
			return err
		},
		func() error {
			if w.spec.Redis == nil {
				return nil
			}
			redis, err := observeRedis(ctx, s, *w.spec.Redis)
			facts.Redis = &redis
			return err
		},
	)
	if facts.Redis != nil {
		facts.Redis.Seconds = w.stable.Seconds("redis", facts.Redis.Refusal)
	}
	return facts, err
}
