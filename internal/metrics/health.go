package metrics

import (
	"io"
	"time"

	"strata/health"
)

// states are all that a gate or a check can be in; each has a series, 1 for the one that holds.
var states = map[health.State]string{
	health.Ready: "ready", health.Waiting: "waiting", health.Stuck: "stuck", health.Skipped: "skipped",
}

// WriteHealth writes the verdicts of a stack's gates, which were all asked by the given time.
func WriteHealth(out io.Writer, stack string, results []health.Result, at time.Time) error {
	s := newSet()
	labels := []string{"stack", "layer", "kind", "gate"}
	open := s.gauge("gate_open", "1 for a gate that is open: what it gates works.", labels...)
	state := s.gauge("gate_state", "1 for the state that a gate is in; stuck cannot become ready by waiting.", append(labels, "state")...)
	checks := s.gauge("gate_checks", "How many of a gate's checks are in a state.", append(labels, "state")...)
	asked := s.gauge("gate_ask_duration_seconds", "How long the gate took to answer.", labels...)
	for _, result := range results {
		values := []string{stack, result.Layer, string(result.Kind), result.Gate}
		open.WithLabelValues(values...).Set(number(result.Passes()))
		asked.WithLabelValues(values...).Set(result.Elapsed.Seconds())
		for one, name := range states {
			state.WithLabelValues(append(values, name)...).Set(number(result.State == one))
			checks.WithLabelValues(append(values, name)...).Set(count(result.Checks, one))
		}
	}
	s.gauge("health_timestamp_seconds", "When the gates were asked, as Unix time.", "stack").WithLabelValues(stack).Set(unix(at))
	return s.write(out)
}

func count(checks []health.Verdict, state health.State) float64 {
	found := 0.0
	for _, check := range checks {
		if check.State == state {
			found++
		}
	}
	return found
}
