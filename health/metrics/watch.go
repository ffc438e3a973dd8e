package metrics

import (
	"time"

	"strata/health"
	"strata/health/kube"
)

const (
	// metricsInterval is the pause between two observations. Polling is needed because no event
	// reports a new series.
	metricsInterval = 200 * time.Millisecond
	// metricsLimit limits an answer, in bytes. A proxy with many routes has some megabytes of
	// metrics.
	metricsLimit = 16 << 20
)

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	return kube.NewWatch(spec, secrets, kube.Watch[metricsFacts]{
		Every: metricsInterval,
		Read:  s.read,
		Judge: func(facts metricsFacts) []health.Verdict { return judgeSeries(s, facts) },
	})
}
