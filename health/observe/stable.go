package observe

import (
	"time"
)

// Clock returns the present time; tests replace it.
type Clock func() time.Time

// Stable remembers since when each subject has been the same, which distinguishes a permanent fault
// from a passing one. It is part of the observation: verdicts get the durations as facts.
type Stable struct {
	now  Clock
	seen map[string]sighting
	// first holds the time of each subject's event at the first call of Old. It is zero if the
	// event was fresh then.
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

// Seconds returns for how many whole seconds text has been the text of subject. A single
// observation with another text begins the count anew.
func (s *Stable) Seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// Forget ends the count of a subject that is well or gone.
func (s *Stable) Forget(subject string) { delete(s.seen, subject) }

// fresh is the largest age at which an event counts as new at the first observation. A gate begins
// right after its dependency.
const fresh = 15 * time.Second

// Old reports whether the last event of subject was long before the first call for it, so that its
// cause may have been fixed since. at is the time of the event.
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
