//go:build bench

package e2e

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// lagRounds is how often each change is made.
	lagRounds = 4
	// look is the observers' interval: what they see is true for at most this long before they see it.
	look = 20 * time.Millisecond
	// lagLimit bounds one round; a change that takes longer is broken, not slow.
	lagLimit = 2 * time.Minute
)

// change makes what one gate looks at false and true again, and says independently of the gate when it is true.
type change struct {
	gate        string
	spoil, mend func(t *testing.T)
	// observers return when what they look at became true; all of them must.
	observers []observer
}

// observer blocks until what it looks at is true, and returns when that was. The zero time: not before ctx ended.
type observer func(ctx context.Context) time.Time

// lag is the time in ms between "true", as the observers see it, and the gate's verdict line.
func (c change) lag(t *testing.T, s *stack) float64 {
	c.spoil(t)
	ctx, cancel := context.WithTimeout(t.Context(), lagLimit)
	defer cancel()
	cmd := s.command(root, strata, "health", "--stack", s.name, "--gate", c.gate, "--timeout", lagLimit.String())
	waiting, open := newSignal(c.gate+": "), newSignal(c.gate+": ready")
	cmd.Stderr = both{waiting, open}
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	await(t, ctx, waiting, "a first look")
	require.NotContains(t, waiting.text(), ": ready", "the gate opens while its fact is false")

	seen := make(chan time.Time, len(c.observers))
	for _, observe := range c.observers {
		go func() { seen <- observe(ctx) }()
	}
	c.mend(t)
	await(t, ctx, open, "a verdict")
	require.NoError(t, cmd.Wait())
	var became time.Time
	for range c.observers {
		at := <-seen
		require.False(t, at.IsZero(), "%s opened, and an observer never saw its fact", c.gate)
		if at.After(became) {
			became = at
		}
	}
	return float64(open.at.Sub(became).Microseconds()) / 1000
}

// both writes to two signals.
type both [2]*signal

func (b both) Write(p []byte) (int, error) {
	for _, one := range b {
		if n, err := one.Write(p); err != nil {
			return n, err
		}
	}
	return len(p), nil
}

func await(t *testing.T, ctx context.Context, s *signal, what string) {
	t.Helper()
	select {
	case <-s.seen:
	case <-ctx.Done():
		t.Fatalf("no %s within %s:\n%s", what, lagLimit, s.text())
	}
}

// polled observes a condition from this process.
func polled(holds func(ctx context.Context) bool) observer {
	return func(ctx context.Context) time.Time {
		tick := time.NewTicker(look)
		defer tick.Stop()
		for {
			asked := time.Now()
			if holds(ctx) {
				return asked
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return time.Time{}
			}
		}
	}
}

// unitActive observes a unit from inside its machine, which has this machine's clock.
func unitActive(hosts *lent, name, unit string) observer {
	return func(context.Context) time.Time {
		output, err := hosts.on(name, "for i in $(seq 6000); do at=$(date +%s%N); systemctl is-active -q "+unit+" && exec echo $at; sleep 0.02; done; exit 1")
		if err != nil {
			return time.Time{}
		}
		nanoseconds, err := strconv.ParseInt(strings.TrimSpace(output), 10, 64)
		if err != nil {
			return time.Time{}
		}
		return time.Unix(0, nanoseconds)
	}
}

func format(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }
