package health

import (
	"time"
)

// State is the outcome of a check, or of a whole gate.
type State string

const (
	// Ready means that the check's subject works now. The check has used it, not only found that it
	// exists.
	Ready State = "Ready"
	// Waiting means that the subject does not work yet and that waiting can help.
	Waiting State = "Waiting"
	// Stuck means that waiting cannot help: a user has to change something.
	Stuck State = "Stuck"
	// Skipped means that the check does not apply here; Message says why.
	Skipped State = "Skipped"
	// Missing is the state of a gate that is configured but that the stack does not have, because
	// no run has reached it. No check ever has this state.
	Missing State = "Missing"
)

// Verdict judges one observation of a check's subject.
type Verdict struct {
	// Check names the check and its subject, for example "node agent-1". It is the same on every
	// observation.
	Check string `json:"check"`
	// State is the outcome.
	State State `json:"state"`
	// Message names the expected and the found state. It contains no clock readings or growing
	// counters, so that it changes only when the situation does.
	Message string `json:"message,omitempty"`
	// Evidence has the observation itself: commands with exit code and output, log lines, Events.
	// Empty when Ready.
	Evidence []string `json:"evidence,omitempty"`
	// Cause is the likely reason, when it is known, for example "wrong token".
	Cause string `json:"cause,omitempty"`
	// Hint is the fix, or a command that shows more.
	Hint string `json:"hint,omitempty"`
	// Ends is the time at which the subject, such as a certificate, expires. It is nil if the
	// subject does not expire, or if the time is unknown.
	Ends *time.Time `json:"ends,omitempty"`
	// After names the checks without which this one cannot pass. While one of them fails, this
	// check is counted but not listed.
	After []string `json:"after,omitempty"`
}

// Passes reports whether the verdict lets a gate open.
func (v Verdict) Passes() bool { return v.State == Ready || v.State == Skipped }
