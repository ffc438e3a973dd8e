package e2e

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A machine that others load takes a multiple of the time for everything, and no story fails for
// that. A story waits for a result as long as something new is printed. It asks a command for its
// message again with more time. `make bench-faults` measures how soon messages come.
const (
	// silence bounds the time without new output; longest bounds the time with it.
	silence = 5 * time.Minute
	longest = 20 * time.Minute
	// toldSoon bounds the time until a mistake is told, on a loaded machine.
	toldSoon = 15 * time.Minute
	// patient is a bound that a story does not come to, as a command and the configuration take it.
	patient = "15m"
	// attemptPause is the pause between two looks.
	attemptPause = 200 * time.Millisecond
)

// complaints are the findings of one look.
type complaints struct{ texts []string }

// Errorf implements require.TestingT.
func (c *complaints) Errorf(format string, args ...any) {
	c.texts = append(c.texts, fmt.Sprintf(format, args...))
}

// FailNow implements require.TestingT.
func (c *complaints) FailNow() { runtime.Goexit() }

// complaintsOf returns a check's failures; empty if it holds.
func complaintsOf(check func(c require.TestingT)) string {
	var found complaints
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(&found)
	}()
	<-done
	return strings.Join(found.texts, "\n")
}

// eventually waits until a check holds, and ends the test where it does not.
func eventually(t *testing.T, check func(c require.TestingT), about ...any) {
	t.Helper()
	if !comesTrue(t, check, about...) {
		t.FailNow()
	}
}

// comesTrue waits until a check holds, and fails the test once it has found the same wrong for too
// long.
func comesTrue(t *testing.T, check func(c require.TestingT), about ...any) bool {
	t.Helper()
	began := time.Now()
	last, since := "", began
	for {
		found := complaintsOf(check)
		if found == "" {
			return true
		}
		if found != last {
			last, since = found, time.Now()
		}
		if time.Since(since) > silence || time.Since(began) > longest {
			return assert.Fail(t, fmt.Sprintf("nothing new for %s, after %s:\n%s",
				time.Since(since).Round(time.Second), time.Since(began).Round(time.Second), found),
				about...)
		}
		time.Sleep(attemptPause)
	}
}

// healthy expects that every gate opens, or the gates that arguments select. A working gate ends at
// once, whatever its bound.
func (s *stack) healthy(arguments ...string) result {
	s.t.Helper()
	return s.must(s.health(append(arguments, "--timeout", silence.String())...))
}

// unhealthy expects that the gates, or the selected ones, name the fault.
func (s *stack) unhealthy(t *testing.T, arguments []string, says ...string) {
	t.Helper()
	s.refusedWithin(t, 15*time.Second, func(limit string) result {
		return s.health(append(arguments, "--timeout", limit)...)
	}, says...)
}

// refusedWithin expects a command to fail, and to say all of it. The command gets a time after
// which it gives up. Where it has said less by then, it runs again with twice as much, for it may
// not have come to look.
func (s *stack) refusedWithin(
	t *testing.T, limit time.Duration, run func(limit string) result, says ...string,
) result {
	t.Helper()
	for ; ; limit *= 2 {
		r := run(limit.String())
		if r.err == nil || r.says(says) || limit > silence {
			s.refused(t, r, says...)
			return r
		}
		t.Logf("not all of it was said within %s", limit)
	}
}

// says reports whether the output has all texts.
func (r result) says(texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(r.output, text) {
			return false
		}
	}
	return true
}

// withTimeouts gives one of a stack's timeouts a value.
func withTimeouts(sections map[string]any, key, limit string) map[string]any {
	return merged(sections, map[string]any{"timeouts": map[string]any{key: limit}})
}
