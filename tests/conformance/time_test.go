package conformance_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On a loaded machine, everything takes a multiple of its usual time. No case may fail for that
// reason. So cases order their steps by observed events. If a case must show that a plugin does not
// wait, the shortest of several tries counts.

// slowest is the timeout for other processes, and for plugins that do not wait.
const slowest = 5 * time.Minute

// eventually waits until another process has made a condition true.
func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, slowest, 20*time.Millisecond)
}

// deed is an action of another process for which a plugin waits.
type deed struct {
	begun atomic.Bool
	ended chan struct{}
}

// later calls do after 1.5 s. The operation of a plugin that does not wait ends before that.
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

// wait waits until the deed has ended, because the end of the case would cancel it.
func (d *deed) wait() { <-d.ended }

// cameFirst asserts that the deed has begun, so that the plugin has waited for it.
func (d *deed) cameFirst(t *testing.T) {
	t.Helper()
	assert.True(t, d.begun.Load(), "it did not wait")
}

// inTime calls run with a timeout in seconds. If run returns false, because another process was too
// late, inTime calls it again with twice the timeout.
func inTime(t *testing.T, timeout float64, run func(timeout float64) (early bool)) {
	t.Helper()
	for !run(timeout) {
		timeout *= 2
		require.Less(t, timeout, slowest.Seconds(), "another process does not do its part")
	}
}

// atOnce asserts that do takes less than limit in one of several tries. If do waited, every try
// would take longer.
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

// afterFailure calls do once the plugin has logged its first failed create. The plugin makes up to
// five attempts.
func (w *world) afterFailure(do func()) {
	go func() {
		for w.t.Context().Err() == nil && !strings.Contains(w.plugin.Log(), "creation failed") {
			time.Sleep(10 * time.Millisecond) // a log has no notifications
		}
		do()
	}()
}
