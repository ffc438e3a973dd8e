package health

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	// metricsInterval is the pause between two looks: nothing reports that a series begins.
	metricsInterval = 200 * time.Millisecond
	// metricsLimit bounds what is read: a proxy with many routes has some megabytes.
	metricsLimit = 16 << 20
)

type metricsWatch struct {
	spec    MetricsSpec
	cluster *cluster
	settled *settled
}

func newMetrics(spec Spec, secrets Secrets) (Watch, error) {
	all, err := newClusterOf(spec, secrets)
	if err != nil {
		return nil, err
	}
	return &metricsWatch{spec: *spec.Metrics, cluster: all, settled: newSettled(time.Now)}, nil
}

// Run implements Watch.
func (w *metricsWatch) Run(ctx context.Context, report func([]Verdict)) error {
	looks(ctx, nil, metricsInterval, func(ctx context.Context) []Verdict { return judgeSeries(w.spec, w.look(ctx)) }, report)
	return nil
}

// look reads the metrics through an API server's proxy: the Service has no address outside the cluster.
func (w *metricsWatch) look(ctx context.Context) metricsFacts {
	var facts metricsFacts
	fault, seconds := w.cluster.look(ctx, w.settled, func(ctx context.Context, s *apiServer) error {
		status, body, err := s.getAs(ctx, metricsProxy(w.spec), "text/plain", metricsLimit)
		if facts = (metricsFacts{Status: status}); err != nil {
			return err
		}
		if status != http.StatusOK {
			facts.Error = fmt.Sprintf("%.200s", body)
			return nil
		}
		facts.Series = sampled(body, w.spec.Series)
		return nil
	})
	if fault != nil {
		return metricsFacts{Fault: fault, Seconds: seconds}
	}
	return facts
}
