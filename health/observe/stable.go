package observe

import (
	"time"
)

// Clock is the wall Clock; tests replace it.
type Clock func() time.Time

// Stable remembers since when each subject has been the same, so that "for good" can be told from
// "for a moment". It is part of the observation: verdicts get the durations as facts.
type Stable struct {
	now  Clock
	seen map[string]sighting
	// first holds the time of each subject's event at the first call of Old; zero if it was fresh.
	first map[string]time.Time
}

type sighting struct {
	text  string
	since time.Time
}

// NewStable returns a Stable that has seen nothing yet.
func NewStable(now Clock) *Stable {
	return &Stable{now: now, seen: map[string]sighting{}, first: map[string]time.Time{}}
}

// Seconds returns for how many whole seconds subject has been text, without an interruption between
// two observations.
func (s *Stable) Seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// Forget ends a sighting: the subject is well, or gone.
func (s *Stable) Forget(subject string) { delete(s.seen, subject) }

// fresh bounds the age of an event at the first observation that still counts as new: a gate begins
// right behind its dependency.
const fresh = 15 * time.Second

// Old reports whether the last event of subject was long before the first look at it: its cause may
// be mended since. at is the time of the event.
func (s *Stable) Old(subject string, at time.Time) bool {
	first, known := s.first[subject]
	if !known {
		if s.now().Sub(at) <= fresh {
			at = time.Time{}
		}
		s.first[subject] = at
		return !at.IsZero()
	}
	return !first.IsZero() && !at.After(first)
}
