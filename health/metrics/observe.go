package metrics

import (
	"context"
	"fmt"
	"net/http"

	"strata/health/kube"
)

// read reads the metrics through an API server's proxy, because the Service has no address
// outside the cluster.
func (s Spec) read(ctx context.Context, server *kube.APIServer) (metricsFacts, error) {
	status, body, err := server.GetAs(ctx, metricsProxy(s), "text/plain", metricsLimit)
	switch {
	case err != nil:
		return metricsFacts{}, err
	case status != http.StatusOK:
		return metricsFacts{Status: status, Error: fmt.Sprintf("%.200s", body)}, nil
	}
	return metricsFacts{Status: status, Series: findSeries(body, s.Series)}, nil
}
