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
	cmd.Stderr = io.MultiWriter(stamped{waiting}, open)
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
	lag := open.at.Sub(became)
	if lag > 250*time.Millisecond {
		t.Logf("%s after it was true, at %s; the gate said:\n%s", lag, became.Format(time.StampMilli), waiting.text())
	}
	return float64(lag.Microseconds()) / 1000
}

// stamped puts the time before each of the gate's lines.
type stamped struct{ *signal }

func (s stamped) Write(line []byte) (int, error) {
	_, err := s.signal.Write([]byte(time.Now().Format("05.000 ") + string(line)))
	return len(line), err
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

// unitActive observes a unit from inside its machine, which has this machine's clock. A unit that systemd had to start again must
// have outlived the pause before a next restart (RestartSec, 5 s): until then nobody can tell it from one that keeps crashing.
func unitActive(hosts *lent, name, unit string) observer {
	return inside(hosts, name, "unit="+unit+"\n"+untilActive)
}

// connected observes from inside a machine that something listens at an address.
func connected(hosts *lent, name, address string, port int32) observer {
	return inside(hosts, name, fmt.Sprintf("address=/dev/tcp/%s/%d\n", address, port)+untilConnected)
}

// inside is an observer that runs in a machine, which has this machine's clock: a script that prints the nanosecond.
func inside(hosts *lent, name, script string) observer {
	return func(context.Context) time.Time {
		output, err := hosts.on(name, script)
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

const untilConnected = `
for i in $(seq 6000); do
	at=$(date +%s%N)
	if (exec 3<>"$address") 2>/dev/null; then exec echo "$at"; fi
	sleep 0.02
done
exit 1`

func format(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }
