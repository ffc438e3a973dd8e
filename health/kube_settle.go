package health

import "time"

// clock is the wall clock; tests replace it.
type clock func() time.Time

// settled remembers since when each subject has looked the same, so that "for good" can be told from "for a moment". It is
// part of the observation: verdicts get the durations as facts.
type settled struct {
	now  clock
	seen map[string]sighting
}

type sighting struct {
	text  string
	since time.Time
}

func newSettled(now clock) *settled { return &settled{now: now, seen: map[string]sighting{}} }

// seconds is for how many whole seconds subject has looked like text, without an interruption between two looks.
func (s *settled) seconds(subject, text string) int {
	before, known := s.seen[subject]
	if !known || before.text != text {
		s.seen[subject] = sighting{text: text, since: s.now()}
		return 0
	}
	return int(s.now().Sub(before.since) / time.Second)
}

// forget ends a sighting: the subject is well, or gone.
func (s *settled) forget(subject string) { delete(s.seen, subject) }
