package health

import (
	"time"
)

// State is the outcome of one observation of one thing.
type State string

const (
	// Ready means that the thing works now, seen by its use and not by its existence.
	Ready State = "Ready"
	// Waiting means not yet; waiting longer can help.
	Waiting State = "Waiting"
	// Stuck means that waiting cannot help: a person has to change something.
	Stuck State = "Stuck"
	// Skipped means that the check does not apply here; Message says why.
	Skipped State = "Skipped"
	// Missing is a gate that the configuration asks for and the stack does not have: no up has got
	// to it. No check is ever in it.
	Missing State = "Missing"
)

// Verdict judges one observation of a check's subject.
type Verdict struct {
	// Check names the check and its subject, for example "node agent-1". It is the same on every
	// observation.
	Check string `json:"check"`
	// State is the outcome.
	State State `json:"state"`
	// Message says what was expected and found. It contains no clock readings or counters that move
	// by themselves, so that it changes only when the situation does.
	Message string `json:"message,omitempty"`
	// Evidence has the observation itself: commands with exit code and output, log lines, Events.
	// Empty when Ready.
	Evidence []string `json:"evidence,omitempty"`
	// Cause is the likely reason, when it is known, for example "wrong token".
	Cause string `json:"cause,omitempty"`
	// Hint is the fix, or the command to look further.
	Hint string `json:"hint,omitempty"`
	// Ends is the time at which the subject ends by itself, as a certificate does; nil if it does
	// not, or if that is unknown.
	Ends *time.Time `json:"ends,omitempty"`
	// After names the checks without which this one cannot pass; it is counted, not listed, while
	// one of them fails.
	After []string `json:"after,omitempty"`
}

// Passes reports whether the verdict lets a gate open.
func (v Verdict) Passes() bool { return v.State == Ready || v.State == Skipped }
