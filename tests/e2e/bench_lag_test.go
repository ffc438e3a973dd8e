//go:build bench

package e2e

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// lagRounds is the number of rounds of each change.
	lagRounds = 4
	// look is the observers' interval: they notice a fact at most this late.
	look = 20 * time.Millisecond
	// lagLimit bounds one round; a change that takes longer is broken, not slow.
	lagLimit = 2 * time.Minute
)

// change makes the fact that a gate observes false and true again, and observes that fact
// independently of the gate.
type change struct {
	gate        string
	spoil, mend func(t *testing.T)
	// observe returns when the gate's observed fact became true.
	observe observer
}

// observer waits until its fact is true, and returns the time of that. It returns the zero time if
// ctx ends first.
type observer func(ctx context.Context) time.Time

// lag returns the milliseconds from the moment when the observers saw the fact become true to the
// gate's verdict line.
func (c change) lag(t *testing.T, s *stack) float64 {
	c.spoil(t)
	ctx, cancel := context.WithTimeout(t.Context(), lagLimit)
	defer cancel()
	cmd := s.command(root, strata, "health", "--stack", s.name, "--gate", c.gate, "--timeout",
		lagLimit.String())
	waiting, open := newSignal(c.gate+": "), newSignal(c.gate+": ready")
	cmd.Stderr = io.MultiWriter(stamped{waiting}, open)
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	await(ctx, t, waiting, "a first look")
	require.NotContains(t, waiting.text(), ": ready", "the gate opens while its fact is false")

	seen := make(chan time.Time, 1)
	go func() { seen <- c.observe(ctx) }()
	c.mend(t)
	await(ctx, t, open, "a verdict")
	require.NoError(t, cmd.Wait())
	became := <-seen
	require.False(t, became.IsZero(), "%s opened, and an observer never saw its fact", c.gate)
	lag := open.at.Sub(became)
	if lag > 250*time.Millisecond {
		t.Logf("%s after it was true, at %s; the gate printed:\n%s", lag,
			became.Format(time.StampMilli), waiting.text())
	}
	return float64(lag.Microseconds()) / 1000
}

// stamped writes the time before each line of the gate.
type stamped struct{ *signal }

func (s stamped) Write(line []byte) (int, error) {
	_, err := s.signal.Write([]byte(time.Now().Format("05.000 ") + string(line)))
	return len(line), err
}

func await(ctx context.Context, t *testing.T, s *signal, what string) {
	t.Helper()
	select {
	case <-s.seen:
	case <-ctx.Done():
		t.Fatalf("no %s within %s:\n%s", what, lagLimit, s.text())
	}
}

// polled returns an observer that polls a condition from this process.
func polled(holds func(ctx context.Context) bool) observer {
	return func(ctx context.Context) time.Time {
		var asked time.Time
		err := wait.PollUntilContextCancel(ctx, look, true,
			func(ctx context.Context) (bool, error) {
				asked = time.Now()
				return holds(ctx), nil
			})
		if err != nil {
			return never
		}
		return asked
	}
}

// unitActive observes a unit from inside its machine, which has this machine's clock. A unit that
// systemd had to start again must have outlived the pause before a next restart (RestartSec, 5 s):
// until then it cannot be told from one that keeps crashing.
func unitActive(hosts *hostSet, name, unit string) observer {
	return inside(hosts, name, "unit="+unit+"\n"+untilActive)
}

// connected returns an observer that waits, inside a machine, until a process listens at an
// address.
func connected(hosts *hostSet, name, address string, port int32) observer {
	return inside(hosts, name, fmt.Sprintf("address=/dev/tcp/%s/%d\n", address, port)+
		untilConnected)
}

// inside returns an observer that runs a script in a machine, which has this machine's clock. The
// script prints the time in nanoseconds.
func inside(hosts *hostSet, name, script string) observer {
	return func(context.Context) time.Time {
		output, err := hosts.on(name, script)
		if err != nil {
			return never
		}
		return nanosecond(output)
	}
}

// nanosecond parses the output of date +%s%N. It returns the zero time for any other text.
func nanosecond(text string) time.Time {
	nanoseconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return never
	}
	return time.Unix(0, nanoseconds)
}

// inTurn returns an observer whose parts begin one after the other, the cheap ones first. It is for
// facts that become true in this order: a part that began earlier would find nothing, and would
// take processor time from the awaited change. If a fact was true before its turn, its time is that
// of its turn, which favours the gate by a few milliseconds.
func inTurn(parts ...observer) observer {
	return func(ctx context.Context) time.Time {
		last := parts[0](ctx)
		for _, part := range parts[1:] {
			if last.IsZero() {
				return never
			}
			last = both(last, part(ctx))
		}
		return last
	}
}

// together returns an observer whose parts observe at the same time.
func together(parts ...observer) observer {
	return func(ctx context.Context) time.Time {
		seen := make(chan time.Time, len(parts))
		for _, part := range parts {
			go func() { seen <- part(ctx) }()
		}
		last := <-seen
		for range parts[1:] {
			last = both(last, <-seen)
		}
		return last
	}
}

// never is the time of a fact that did not become true.
var never = time.Time{}

// both returns the time from which two facts held, the later of their times.
func both(one, other time.Time) time.Time {
	switch {
	case one.IsZero() || other.IsZero():
		return never
	case other.After(one):
		return other
	}
	return one
}

const untilActive = `
for i in $(seq 6000); do
	at=$(date +%s%N)
	if systemctl is-active -q "$unit"; then
		restarts=$(systemctl show -P NRestarts "$unit") since=$(systemctl show -P ActiveEnterTimestampMonotonic "$unit")
		read -r up _ </proc/uptime
		if [ "$restarts" = 0 ] || [ $((${up%.*} - since / 1000000)) -ge 5 ]; then exec echo "$at"; fi
	fi
	sleep 0.02
done
exit 1`

// untilConnected starts one process for each attempt but no program, so that it takes little
// processor time. An attempt without an answer is ended soon. Otherwise, an attempt that began
// towards a deleted Pod would last for minutes.
const untilConnected = `
exec 9<> <(:) # Nothing ever comes here: reading from it is a pause without a process.
for ((i = 0; i < 6000; i++)); do
	at=${EPOCHREALTIME//[.,]/}000
	exec 8< <({ : <"$address" && echo yes; } 2>/dev/null)
	connecting=$!
	if read -r -t 0.25 -u 8; then exec echo "$at"; fi
	kill "$connecting" 2>/dev/null
	read -r -t 0.02 -u 9
done
exit 1`

func format(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }
