package observe

import (
	"time"
)

// Clock returns the present time; tests replace it.
type Clock func() time.Time

// Stable records since when an observed text has been the same, by a key such as a Node's name. It
// distinguishes a lasting fault from a temporary one. Only observations use Stable: the functions
// that judge get the durations as facts.
type Stable struct {
	now  Clock
	seen map[string]sighting
	// first maps each key of Old to the event's time at the first call. The time is zero if the
	// event was fresh then.
	first map[string]time.Time
}

type sighting struct {
	text  string
	since time.Time
}

// NewStable returns an empty Stable with the given clock.
func NewStable(now Clock) *Stable {
	return &Stable{now: now, seen: map[string]sighting{}, first: map[string]time.Time{}}
}

// Seconds stores the latest text for subject, a key. It returns for how many whole seconds the text
// has been the same: 0 after a change.
func (s *Stable) Seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// Forget resets the count of a key, for example when the observed fault has ended or the object is
// gone.
func (s *Stable) Forget(subject string) { delete(s.seen, subject) }

// fresh is the largest age of an event that counts as new at the first observation. A gate starts
// right after its dependency, so events of the gated change are not older.
const fresh = 15 * time.Second

// Old reports whether the last event of subject, a key, was already older than fresh at the first
// call, so that its cause may have been fixed. at is the event's time.
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
