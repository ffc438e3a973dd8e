package observe

import (
	"time"
)

// Clock returns the present time; tests replace it.
type Clock func() time.Time

// Stable remembers since when each subject has had the same text, which distinguishes a permanent
// fault from a passing one. It belongs to the observation: judges get the durations as facts.
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

// NewStable returns an empty Stable that measures time by now.
func NewStable(now Clock) *Stable {
	return &Stable{now: now, seen: map[string]sighting{}, first: map[string]time.Time{}}
}

// Seconds stores text as the text of subject, and returns for how many whole seconds subject has
// had it. Another text resets the count to 0.
func (s *Stable) Seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// Forget resets the count of a subject, which has no fault or does not exist.
func (s *Stable) Forget(subject string) { delete(s.seen, subject) }

// fresh is the largest age of an event that counts as new at the first observation. A gate starts
// right after its dependency, so its subject is not older.
const fresh = 15 * time.Second

// Old reports whether the last event of subject was at the first call already older than fresh, so
// that its cause may have been fixed since. at is the event's time.
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
