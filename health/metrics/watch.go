package metrics

import (
	"context"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

const (
	// metricsInterval is the pause between two observations. Polling is needed because no event
	// reports a new series.
	metricsInterval = 200 * time.Millisecond
	// metricsLimit limits an answer, in bytes. A proxy with many routes has some megabytes of
	// metrics.
	metricsLimit = 16 << 20
)

type metricsWatch struct {
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
	return &metricsWatch{spec: s, cluster: all, stable: observe.NewStable(time.Now)}, nil
}

// Run implements Watch.
func (w *metricsWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	observe.Repeat(ctx, nil, metricsInterval,
		func(ctx context.Context) []health.Verdict {
			return judgeSeries(w.spec,
				w.observe(ctx))
		}, report)
	return nil
}
