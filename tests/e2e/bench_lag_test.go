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
	// look is the polling interval of observers, and so their greatest delay.
	look = 20 * time.Millisecond
	// lagLimit is the timeout of one round. It is far longer than a slow round.
	lagLimit = 2 * time.Minute
)

// change has a function that makes a gate's condition false, and one that makes it true again. Its
// observer watches that condition independently of the gate.
type change struct {
	gate        string
	spoil, mend func(t *testing.T)
	// observe returns the time at which the condition became true.
	observe observer
}

// observer waits until its condition is true, and returns the time. If ctx ends first, it returns
// the zero time.
type observer func(ctx context.Context) time.Time

// lag returns the time, in milliseconds, from the moment when the observers saw the condition
// become true to the verdict line of the gate.
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

// stamped writes the time before each line of a gate's output.
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

// unitActive returns an observer that waits, inside a machine, until a unit is active. A unit that
// systemd has restarted must stay active for longer than the pause before a restart (RestartSec, 5
// s), because it may be in a crash loop.
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

// inTurn returns an observer whose parts start one after the other, for conditions that become true
// in this order. Expensive parts come last, because they take processor time from the awaited
// change. If a condition is already true when its part starts, the time of the start counts. That
// favours the gate by a few milliseconds.
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

// never is the time of a condition that did not become true.
var never = time.Time{}

// both returns the later of two times: the time from which both conditions held.
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

// untilConnected forks once for each attempt and starts no program, to take little processor time.
// It kills an attempt without an answer after 0.25 s. Otherwise an attempt to reach a deleted Pod
// would last for minutes.
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
