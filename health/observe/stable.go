package observe

import (
	"time"
)

// Clock is the wall Clock; tests replace it.
type Clock func() time.Time

// Settled remembers since when each subject has looked the same, so that "for good" can be told from "for a moment". It is
// part of the observation: verdicts get the durations as facts.
type Settled struct {
	now  Clock
	seen map[string]sighting
}

type sighting struct {
	text  string
	since time.Time
}

// NewSettled has seen nothing yet.
func NewSettled(now Clock) *Settled { return &Settled{now: now, seen: map[string]sighting{}} }

// Seconds is for how many whole Seconds subject has looked like text, without an interruption between two looks.
func (s *Settled) Seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// Forget ends a sighting: the subject is well, or gone.
func (s *Settled) Forget(subject string) { delete(s.seen, subject) }
