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

// On a loaded machine everything takes a multiple of its usual time, and no story may fail because
// of that. A story waits for a result as long as new output is printed. If a command times out
// before the expected message, the story repeats the command with a longer timeout. `make
// bench-faults` measures how soon messages come.
const (
	// silence is the timeout without new output. There is no timeout while there is output:
	// hack/test ends stories that no longer print anything.
	silence = 5 * time.Minute
	// commandSilence is the timeout for a command that prints nothing. A command may have a timeout
	// of twice silence, and print nothing before it.
	commandSilence = 3 * silence
	// patient is a timeout that no story reaches, as text for commands and the configuration.
	patient = "15m"
	// attemptPause is the pause between two checks.
	attemptPause = 200 * time.Millisecond
)

// complaints has the failed assertions of one check.
type complaints struct{ texts []string }

// Errorf implements require.TestingT.
func (c *complaints) Errorf(format string, args ...any) {
	c.texts = append(c.texts, fmt.Sprintf(format, args...))
}

// FailNow implements require.TestingT.
func (c *complaints) FailNow() { runtime.Goexit() }

// complaintsOf runs a check and returns its failed assertions; empty if it passes.
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

// eventually waits until a check passes, and ends the test if it does not (comesTrue).
func eventually(t *testing.T, check func(c require.TestingT), about ...any) {
	t.Helper()
	if !comesTrue(t, check, about...) {
		t.FailNow()
	}
}

// comesTrue waits until a check passes. It fails the test if the check has failed without a new
// message for longer than silence.
func comesTrue(t *testing.T, check func(c require.TestingT), about ...any) bool {
	t.Helper()
	seen, since := map[string]bool{}, time.Now()
	for {
		found := complaintsOf(check)
		if found == "" {
			return true
		}
		if !seen[found] {
			seen[found], since = true, time.Now()
		}
		if time.Since(since) > silence {
			return assert.Fail(t, fmt.Sprintf("nothing new for %s:\n%s",
				time.Since(since).Round(time.Second), found), about...)
		}
		time.Sleep(attemptPause)
	}
}

// healthy asserts that all gates open, or those that arguments select. The timeout is long, because
// a gate ends as soon as it opens.
func (s *stack) healthy(arguments ...string) result {
	s.t.Helper()
	return s.must(s.health(append(arguments, "--timeout", silence.String())...))
}

// unhealthy asserts that the gates, or those that arguments select, fail and print the texts.
func (s *stack) unhealthy(t *testing.T, arguments []string, says ...string) {
	t.Helper()
	s.refusedWithin(t, 15*time.Second, func(limit string) result {
		return s.health(append(arguments, "--timeout", limit)...)
	}, says...)
}

// refusedWithin asserts that a command fails and prints all texts. run gets the timeout of the
// command. If texts are missing, the command runs again with twice the timeout, because it may not
// have observed the fault in time.
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

// withTimeouts returns sections with one of the stack's timeouts changed.
func withTimeouts(sections map[string]any, key, limit string) map[string]any {
	return merged(sections, map[string]any{"timeouts": map[string]any{key: limit}})
}
