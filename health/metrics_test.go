package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMetricsVerdicts(t *testing.T) { runFixtures(t, "metrics", judgeSeries) }

func TestOnlyASampleIsASeries(t *testing.T) {
	text := "# HELP a_total counts a_total\n# TYPE b gauge\na_total{code=\"200\"} 1\na_total 3\nc_total_more 1\nd\t1\n{} 1\n"
	assert.Equal(t, []string{"a_total", "d"}, sampled(text, []string{"d", "a_total", "b", "c_total", "missing"}))
	assert.Empty(t, sampled("", []string{"a"}))
}

func TestAMetricsGateNamesWhatItIsAsked(t *testing.T) {
	good := MetricsSpec{Namespace: "n", Service: "s", Port: 1, Path: "/m", Series: []string{"a"}}
	check := func(change func(*MetricsSpec)) error {
		spec := good
		change(&spec)
		return valid(Spec{Kind: KindMetrics, Metrics: &spec}).Validate()
	}
	require.NoError(t, check(func(*MetricsSpec) {}))
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Namespace = "" }), "namespace, service or port")
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Service = "" }), "namespace, service or port")
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Port = 0 }), "namespace, service or port")
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Path = "m" }), "metrics.path")
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Series = nil }), "metrics.series")
	require.ErrorContains(t, check(func(s *MetricsSpec) { s.Series = []string{""} }), "metrics.series")
	require.ErrorContains(t, valid(Spec{Kind: KindMetrics}).Validate(), "metrics: missing")
	assert.Equal(t, "/api/v1/namespaces/n/services/s:1/proxy/m", metricsProxy(good))
}
