package metrics

import (
	"io"
	"time"

	"strata/actions/stack/drift"
)

// WriteDrift writes metrics: how many objects and host files of a stack were changed since its last
// update, and how many could not be compared. at is the time of the comparison.
func WriteDrift(out io.Writer, stack string, report *drift.Report, at time.Time) error {
	s := newSet()
	things := s.gauge("drift_things",
		"How many things differ from what the last update left: kept is yes for those that an update leaves as they are.",
		"stack", "verdict", "kept")
	for _, verdict := range []drift.Verdict{drift.Changed, drift.Missing, drift.Extra} {
		for kept, word := range map[bool]string{true: "yes", false: "no"} {
			number := 0
			for _, one := range report.Differences {
				if one.Verdict == verdict && (one.Kept != "") == kept {
					number++
				}
			}
			things.WithLabelValues(stack, string(verdict), word).Set(float64(number))
		}
	}
	s.gauge("drift_unanswered", "How many hosts and objects could not be compared.", "stack").
		WithLabelValues(stack).Set(float64(len(report.Unanswered)))
	s.gauge("drift_timestamp_seconds", "When drift was looked for, as Unix time.", "stack").
		WithLabelValues(stack).Set(unix(at))
	return s.write(out)
}
