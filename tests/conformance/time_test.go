package conformance_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On a machine that others load, everything takes a multiple of its time. No case may fail for
// that: what must come first is an event that the case itself sees, and a plugin that must not wait
// is told from one that waits by the shortest of several tries.

// slowest bounds what another process does, and what a plugin does not wait for.
const slowest = 5 * time.Minute

// eventually waits for what another process does soon.
func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, slowest, 20*time.Millisecond)
}

// deed is an action of another process, for which a plugin waits.
type deed struct {
	begun atomic.Bool
	ended chan struct{}
}

// later does something after a while, which is time for a plugin that does not wait to end before.
func later(do func()) *deed {
	const delay = 1500 * time.Millisecond
	d := &deed{ended: make(chan struct{})}
	time.AfterFunc(delay, func() {
		defer close(d.ended)
		d.begun.Store(true)
		do()
	})
	return d
}

// wait waits for its end: a case that ends earlier cancels it.
func (d *deed) wait() { <-d.ended }

// cameFirst asserts that what has just ended has waited for the deed.
func (d *deed) cameFirst(t *testing.T) {
	t.Helper()
	assert.True(t, d.begun.Load(), "it did not wait")
}

// inTime runs a case with a timeout in seconds. Where another process did its part too late for it,
// which the case reports, it runs again with twice the time.
func inTime(t *testing.T, timeout float64, run func(timeout float64) (early bool)) {
	t.Helper()
	for !run(timeout) {
		timeout *= 2
		require.Less(t, timeout, slowest.Seconds(), "another process does not do its part")
	}
}

// atOnce asserts that something does not wait for as long as limit: one of several tries is
// shorter, and of one that waits none is.
func atOnce(t *testing.T, limit time.Duration, do func()) {
	t.Helper()
	var tries []time.Duration
	for range 10 {
		began := time.Now()
		do()
		took := time.Since(began)
		if took < limit {
			return
		}
		tries = append(tries, took)
	}
	assert.Fail(t, "it waits", "expected less than %s once, found %v", limit, tries)
}

// afterFailure does something once the plugin has said that it creates again, which it does at most
// five times.
func (w *world) afterFailure(do func()) {
	go func() {
		for w.t.Context().Err() == nil && !strings.Contains(w.plugin.Log(), "creation failed") {
			time.Sleep(10 * time.Millisecond) // the log reports no news
		}
		do()
	}()
}
