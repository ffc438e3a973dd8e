package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// transcript records a command's output with times.
type transcript struct {
	text   bytes.Buffer
	pieces []piece
}

// piece is one write: its time, and the length of the output after it.
type piece struct {
	end int
	at  time.Time
}

func (s *transcript) Write(p []byte) (int, error) {
	n, err := s.text.Write(p)
	s.pieces = append(s.pieces, piece{s.text.Len(), time.Now()})
	return n, err
}

// longestPause returns the longest time during which a command printed nothing.
func (r result) longestPause() time.Duration {
	last, longest := r.began, time.Duration(0)
	for _, one := range append(r.pieces, piece{at: r.began.Add(r.took)}) {
		longest, last = max(longest, one.at.Sub(last)), one.at
	}
	return longest
}

// when returns the time at which a command had printed a text.
func (r result) when(t *testing.T, text string) time.Time {
	t.Helper()
	start := strings.Index(r.output, text)
	require.NotEqual(t, -1, start, "no %q in:\n%s", text, r.output)
	for _, one := range r.pieces {
		if one.end >= start+len(text) {
			return one.at
		}
	}
	panic("a text that was not written")
}
