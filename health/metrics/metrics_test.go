package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/healthtest"
)

func TestMetricsVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "metrics", judgeSeries)
}

func TestSeriesWithoutSampleIsNotFound(t *testing.T) {
	text := "# HELP a_total counts a_total\n# TYPE b gauge\na_total{code=\"200\"} 1\na_total " +
		"3\nc_total_more 1\nd\t1\n{} 1\n"
	assert.Equal(t, []string{"a_total", "d"},
		findSeries(text, []string{"d", "a_total", "b", "c_total", "missing"}))
	assert.Empty(t, findSeries("", []string{"a"}))
}

func TestMetricsSpecErrorsNameFields(t *testing.T) {
	good := Spec{Namespace: "n", Service: "s", Port: 1, Path: "/m", Series: []string{"a"}}
	check := func(change func(*Spec)) error {
		spec := good
		change(&spec)
		return healthtest.Valid(spec).Validate()
	}
	require.NoError(t, check(func(*Spec) {}))
	require.ErrorContains(t, check(func(s *Spec) { s.Namespace = "" }),
		"namespace, service or port")
	require.ErrorContains(t, check(func(s *Spec) { s.Service = "" }), "namespace, service or port")
	require.ErrorContains(t, check(func(s *Spec) { s.Port = 0 }), "namespace, service or port")
	require.ErrorContains(t, check(func(s *Spec) { s.Path = "m" }), "metrics.path")
	require.ErrorContains(t, check(func(s *Spec) { s.Series = nil }), "metrics.series")
	require.ErrorContains(t, check(func(s *Spec) { s.Series = []string{""} }), "metrics.series")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"metrics: missing")
	assert.Equal(t, "/api/v1/namespaces/n/services/s:1/proxy/m", metricsProxy(good))
}
