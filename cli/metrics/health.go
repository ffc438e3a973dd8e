package metrics

import (
	"io"
	"time"

	"strata/health"
)

// states maps the states of a check to their label values. Each state has a series; its value is 1
// for the current state and 0 for the others.
var states = map[health.State]string{
	health.Ready: "ready", health.Waiting: "waiting", health.Stuck: "stuck",
	health.Skipped: "skipped",
}

// missing is the value of the label state for a gate that is configured, but not in the stack's
// state.
const missing = "missing"

// Health holds the results of one run of all gates.
type Health struct {
	Stack string
	// Results are the results of the gates in the stack's state, and a result for each configured
	// gate that the state lacks (health.Missing).
	Results []health.Result
	// Known is true if the configuration could be read. If it is false, Results may lack configured
	// gates that the state does not have.
	Known bool
	// At is the time at which the run of the gates ended.
	At time.Time
}

// WriteHealth writes the results of one run of all gates as metrics.
func WriteHealth(out io.Writer, round Health) error {
	s := newSet()
	labels := []string{"stack", "layer", "kind", "gate"}
	open := s.gauge("gate_open",
		"1 for a gate that is open: what it gates works; absent for one that was not asked.",
		labels...)
	state := s.gauge("gate_state",
		"1 for the state that a gate is in; stuck cannot become ready by waiting, missing is not made yet.",
		append(labels, "state")...)
	checks := s.gauge("gate_checks", "How many of a gate's checks are in a state.",
		append(labels, "state")...)
	ends := s.gauge("gate_end_timestamp_seconds",
		"When what a gate observed ends by itself, as a certificate does, as Unix time; the first of them.", labels...)
	asked := s.gauge("gate_ask_duration_seconds", "How long the gate took to answer.", labels...)
	for _, result := range round.Results {
		values := []string{round.Stack, result.Layer, string(result.Kind), result.Gate}
		state.WithLabelValues(append(values,
			missing)...).Set(number(result.State == health.Missing))
		if result.Ending != health.EndedNotAsked {
			open.WithLabelValues(values...).Set(number(result.Passes()))
		}
		if result.State != health.Missing && result.Ending != health.EndedNotAsked {
			asked.WithLabelValues(values...).Set(result.Elapsed.Seconds())
		}
		if first := firstEnd(result.Checks); !first.IsZero() {
			ends.WithLabelValues(values...).Set(unix(first))
		}
		for one, name := range states {
			state.WithLabelValues(append(values, name)...).Set(number(result.State == one))
			checks.WithLabelValues(append(values, name)...).Set(count(result.Checks, one))
		}
	}
	s.gauge("health_complete",
		"1 when the stack's configuration could be read for the gates that there should be; with "+
			"0, one that was never made is in no series.",
		"stack").WithLabelValues(round.Stack).Set(number(round.Known))
	s.gauge("health_timestamp_seconds", "When the gates were asked, as Unix time.", "stack").
		WithLabelValues(round.Stack).Set(unix(round.At))
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

// firstEnd returns the earliest expiry among the checks (Verdict.Ends), such as a certificate's;
// zero if nothing expires.
func firstEnd(checks []health.Verdict) (first time.Time) {
	for _, check := range checks {
		if check.Ends != nil && (first.IsZero() || check.Ends.Before(first)) {
			first = *check.Ends
		}
	}
	return first
}
