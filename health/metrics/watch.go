package metrics

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

const (
	// metricsInterval is the pause between two observations. Polling is needed because no event
	// reports a new series.
	metricsInterval = 200 * time.Millisecond
	// metricsLimit bounds an answer: a proxy with many routes has some megabytes.
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

// observe reads the metrics through an API server's proxy, because the Service has no address
// outside the cluster.
func (w *metricsWatch) observe(ctx context.Context) metricsFacts {
	var facts metricsFacts
	fault, seconds := w.cluster.ObserveOnce(ctx, w.stable,
		func(ctx context.Context, s *kube.APIServer) error {
			status, body, err := s.GetAs(ctx, metricsProxy(w.spec), "text/plain", metricsLimit)
			if facts = (metricsFacts{Status: status}); err != nil {
				return err
			}
			if status != http.StatusOK {
				facts.Error = fmt.Sprintf("%.200s", body)
				return nil
			}
			facts.Series = findSeries(body, w.spec.Series)
			return nil
		})
	if fault != nil {
		return metricsFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}
