package metrics

import (
	"context"
	"fmt"
	"net/http"

	"strata/health/kube"
)

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
