package gates_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"strata/health"
	"strata/health/metrics"
	"strata/tests/gates/fakeapi"
)

// Without a ready Pod, the API server's proxy returns an error. The metrics of a new Pod lack a
// series until the Pod has counted something.
func TestMetricsGateReportsFaultsUntilHealed(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/namespaces/apisix/services/metrics:9091/proxy/apisix/prometheus/metrics"
	for _, fault := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"no Service", `{"message":"services \"metrics\" not found"}`, http.StatusNotFound,
			"there is no such Service"},
		{"no Pod", `{"message":"no endpoints available"}`, http.StatusServiceUnavailable,
			"no Pod behind the Service is ready"},
		{"nothing counted", "# TYPE a_total counter\na_current 1\n", http.StatusOK,
			"1 of 2 series are there, not a_total"},
		{"an empty page", "", http.StatusOK, "0 of 2 series are there"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			c := fakeapi.New(t, 2)
			say := func(status int, body string) {
				c.Raw(path, func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(status)
					_, _ = io.WriteString(w, body)
				})
			}
			say(fault.status, fault.body)
			gate := start(t, c, health.Spec{Servers: c.URLs(), Body: metrics.Spec{
				Namespace: "apisix", Service: "metrics", Port: 9091,
				Path: "/apisix/prometheus/metrics", Series: []string{"a_total", "a_current"},
			}})
			gate.says(fault.says)
			gate.stays(300 * time.Millisecond)
			say(http.StatusOK, "a_total{code=\"200\"} 1\na_current 1\n")
			gate.opens()
		})
	}
}
