package health

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ending says why a gate stopped observing.
type Ending string

const (
	// EndedOpen means that every check passed.
	EndedOpen Ending = "open"
	// EndedStuck means that a check fails and waiting cannot help.
	EndedStuck Ending = "stuck"
	// EndedTimeout means that the deadline passed.
	EndedTimeout Ending = "timeout"
	// EndedInterrupted means that the caller's context ended first.
	EndedInterrupted Ending = "interrupted"
	// EndedMissing means that the gate did not run, because the stack does not have it (yet).
	EndedMissing Ending = "missing"
	// EndedNotAsked means that the gate did not run, because it needs a secret or right that the
	// caller lacks.
	EndedNotAsked Ending = "not asked"
)

// Result describes the end of a gate. The gate's command prints it and Pulumi stores it in the
// state, so it contains no secret.
type Result struct {
	Gate  string `json:"gate"`
	Layer string `json:"layer"`
	Kind  Kind   `json:"kind"`
	// State is the state of all checks together (StateOf), or Missing for a gate that the stack
	// does not have.
	State  State  `json:"state"`
	Ending Ending `json:"ending"`
	// Elapsed is the duration of the observation.
	Elapsed metav1.Duration `json:"elapsed"`
	// Timeout and TimeoutKey are the deadline and the configuration key that sets it.
	Timeout    metav1.Duration `json:"timeout"`
	TimeoutKey string          `json:"timeoutKey,omitempty"`
	// Checks are the last verdicts before the gate ended.
	Checks []Verdict `json:"checks"`
	// Ended is the time when the gate's command exited; zero if the gate ran without its command.
	// The Pulumi program compares Ended with its own start, to find the gates that ran in the same
	// run.
	Ended time.Time `json:"ended,omitzero"`
	// Seen is the time at which Checks were reported; zero without any. It is written to the
	// progress (SeenLine). The output omits it, because the state stores the output.
	Seen time.Time `json:"-"`
	// measures is Traits.Measures of the kind.
	measures bool
}

// Passes reports whether the gate is open.
func (r Result) Passes() bool { return r.Ending == EndedOpen }

// NotMade returns the result of a gate that is configured but that the stack does not have.
func NotMade(spec Spec) Result {
	return Result{
		Gate: spec.Gate, Layer: spec.Layer, Kind: spec.Kind(), State: Missing, Ending: EndedMissing,
		Timeout: spec.Timeout, TimeoutKey: spec.TimeoutKey, Checks: []Verdict{},
	}
}

// NotAsked returns the Skipped result of a gate that did not run. needs says what the caller lacks.
func NotAsked(spec Spec, needs string) Result {
	return NewResult(spec, EndedNotAsked, 0,
		[]Verdict{{Check: "not asked", State: Skipped, Message: "needs " + needs}})
}

// NewResult returns the result of a gate from its last verdicts.
func NewResult(spec Spec, ending Ending, elapsed time.Duration, checks []Verdict) Result {
	return Result{
		Gate: spec.Gate, Layer: spec.Layer, Kind: spec.Kind(), State: StateOf(checks),
		Ending:  ending,
		Elapsed: metav1.Duration{Duration: elapsed.Round(time.Millisecond)},
		Timeout: spec.Timeout, TimeoutKey: spec.TimeoutKey, Checks: checks,
		measures: spec.Body != nil && spec.Body.Traits().Measures,
	}
}

// StateOf returns the state of a whole gate: Stuck if one check is Stuck, Waiting if one fails or
// there is none yet, Skipped if all are Skipped, otherwise Ready.
func StateOf(checks []Verdict) State {
	count := map[State]int{}
	for _, check := range checks {
		count[check.State]++
	}
	switch passed := count[Ready] + count[Skipped]; {
	case count[Stuck] > 0:
		return Stuck
	case len(checks) == 0 || passed < len(checks):
		return Waiting
	case count[Ready] == 0:
		return Skipped
	}
	return Ready
}

// Split returns the failing verdicts that have a reason of their own. hidden counts the other
// failing ones, which cannot pass before a failing check in their After.
func Split(checks []Verdict) (failing []Verdict, hidden int) {
	failed := map[string]bool{}
	for _, check := range checks {
		if !check.Passes() {
			failed[check.Check] = true
		}
	}
	for _, check := range checks {
		if check.Passes() {
			continue
		}
		if check.State != Stuck && waitsFor(check, failed) {
			hidden++
			continue
		}
		failing = append(failing, check)
	}
	if len(failing) == 0 && hidden > 0 {
		// Checks that wait for each other hide no cause, so all of them are returned.
		return failedOf(checks), 0
	}
	return failing, hidden
}

func waitsFor(check Verdict, failed map[string]bool) bool {
	for _, name := range check.After {
		if failed[name] && name != check.Check {
			return true
		}
	}
	return false
}

func failedOf(checks []Verdict) (failed []Verdict) {
	for _, check := range checks {
		if !check.Passes() {
			failed = append(failed, check)
		}
	}
	return failed
}
