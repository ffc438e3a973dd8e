package conformance_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On a loaded machine, everything takes a multiple of its time. No case may fail for that: it
// orders its steps by events that it sees itself. To tell a plugin that waits from one that does
// not, it takes the shortest of several tries.

// slowest bounds the work of other processes, and of a plugin without a wait.
const slowest = 5 * time.Minute

// eventually waits for a condition that another process meets soon.
func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, slowest, 20*time.Millisecond)
}

// deed is an action of another process, for which a plugin waits.
type deed struct {
	begun atomic.Bool
	ended chan struct{}
}

// later calls do after a while, in which a plugin that does not wait would end.
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

// wait waits for the deed's end, because a case that ends earlier cancels it.
func (d *deed) wait() { <-d.ended }

// cameFirst asserts that the plugin has waited for the deed.
func (d *deed) cameFirst(t *testing.T) {
	t.Helper()
	assert.True(t, d.begun.Load(), "it did not wait")
}

// inTime runs a case with a timeout in seconds. If the case reports that another process was too
// late, it runs again with twice the time.
func inTime(t *testing.T, timeout float64, run func(timeout float64) (early bool)) {
	t.Helper()
	for !run(timeout) {
		timeout *= 2
		require.Less(t, timeout, slowest.Seconds(), "another process does not do its part")
	}
}

// atOnce asserts that do takes less than limit in one of several tries. If it waited, no try would.
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

// afterFailure calls do once the plugin has logged that it creates again, which it does at most
// five times.
func (w *world) afterFailure(do func()) {
	go func() {
		for w.t.Context().Err() == nil && !strings.Contains(w.plugin.Log(), "creation failed") {
			time.Sleep(10 * time.Millisecond) // the log reports no news
		}
		do()
	}()
}
