//go:build bench

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

// action is an action of Strata that the bench interrupts.
type action struct {
	name string
	// begin prepares the platform before the first round of the action. Optional.
	begin func(a *acted, t *testing.T)
	// change changes the configuration or the bundle, so that an update has something to do.
	// Optional, because the action may be another command.
	change func(a *acted, t *testing.T)
	// command is run, interrupted, and run again. Optional: the default is an update.
	command func(a *acted) []string
	// inside returns a check whether the action is under way. The check gets the command's output.
	inside func(a *acted, t *testing.T) func(said string) bool
	// disk returns the disk to which the action writes. says are texts that the command must print
	// when that disk is full.
	disk func(a *acted, t *testing.T) disk
	says []string
	// after reverts change once the platform has converged, and end reverts begin after the last
	// round. Optional.
	after func(a *acted, t *testing.T)
	end   func(a *acted, t *testing.T)
}

const (
	fullDisk = "full disk"
	// insideWithin is the timeout for the start of an action.
	insideWithin = 4 * time.Minute
	// insideEvery is the pause between two checks. It is shorter than any action.
	insideEvery = 10 * time.Millisecond
)

// TestBenchActions interrupts each action in each way, and counts how often
// the same command, run once more, completes the action (`make bench-actions`). `-run
// TestBenchActions/push` selects an action, and `/push/SIGKILL` a case. An
// action is recorded only if all its cases have run.
func TestBenchActions(t *testing.T) {
	a := newActed(t)
	for _, row := range actions {
		t.Run(row.name, func(t *testing.T) { a.isInterrupted(t, row) })
	}
	a.must(a.destroy())
	a.nothingLeft(t, a.machines)
}

func (a *acted) isInterrupted(t *testing.T, row action) {
	ways, converged := append(slices.Clone(interruptions), fullDisk), 0
	a.tried = 0
	if row.begin != nil {
		a.as(t, func() { row.begin(a, t) })
	}
	for _, how := range ways {
		passed := t.Run(how, func(t *testing.T) {
			a.as(t, func() {
				if row.change != nil {
					row.change(a, t)
					a.configure(a.sections())
				}
				a.breaksOff(t, row, how)
				a.convergesAgain(t, row)
				if row.after != nil {
					row.after(a, t)
				}
			})
			if !t.Failed() {
				converged++
			}
		})
		if !passed {
			a.as(t, a.repair)
		}
	}
	if row.end != nil {
		a.as(t, func() { row.end(a, t) })
	}
	t.Logf("%s: %d of %d interruptions converged", row.name, converged, a.tried)
	if a.tried == len(ways) {
		require.NoError(t, bench.Tally(filepath.Join(root, "bench/results.json"),
			"lab/actions/"+row.name, bench.Kills, a.tried, converged))
	}
}

// breaksOff runs the action's command, and interrupts it during the action.
func (a *acted) breaksOff(t *testing.T, row action, how string) {
	inside := row.inside(a, t)
	if how == fullDisk {
		a.fillsUp(t, row, inside)
		return
	}
	run := a.begins(t, row)
	a.awaits(t, run, inside)
	t.Logf("inside: %s", how)
	a.tried++
	run.interrupt(t, how, a.machines.net)
	if how == "SIGKILL" {
		require.Error(t, run.err, "it had ended by then\n%s", run.output.text())
	}
}

// fillsUp runs the command with a full disk. The command must fail, name the cause, and leave no
// incomplete file on the disk.
func (a *acted) fillsUp(t *testing.T, row action, inside func(string) bool) {
	full := row.disk(a, t)
	a.on(t, full.host, full.mount)
	defer a.on(t, full.host, full.free)
	run := a.begins(t, row)
	if full.late != "" {
		a.awaits(t, run, inside)
		a.on(t, "", full.late)
	}
	a.tried++
	run.wait(t)
	said := run.output.text()
	require.Error(t, run.err, "%s", said)
	assert.Regexp(t, noSpace, said)
	for _, text := range row.says {
		assert.Contains(t, said, text)
	}
	if full.host != "" {
		assert.Empty(t, a.machines.must(full.host, partsOnHost), "on the full disk of %s",
			full.host)
	}
	t.Logf("a full disk: %s", lineOf(said))
}

// lineOf returns the line of the output that reports the full disk.
func lineOf(said string) string {
	for line := range strings.Lines(said) {
		if noSpace.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func (a *acted) begins(t *testing.T, row action) *running {
	command := a.commandOf(row)
	return a.begin(t, command[0], command[1:]...)
}

func (a *acted) commandOf(row action) []string {
	if row.command != nil {
		return row.command(a)
	}
	return append([]string{"pulumi"}, a.toEnd("up")...)
}

// awaits waits until the action is under way.
func (a *acted) awaits(t *testing.T, run *running, inside func(said string) bool) {
	t.Helper()
	for started := time.Now(); !inside(run.output.text()); {
		select {
		case <-run.ended:
			require.Fail(t, "it ended before it was seen inside", "%v\n%s", run.err,
				run.output.text())
		case <-time.After(insideEvery):
		}
		if time.Since(started) > insideWithin {
			run.interrupt(t, "SIGKILL", a.machines.net)
			require.Fail(t, "it was not seen inside", "%s\n%s", insideWithin, run.output.text())
		}
	}
}

// convergesAgain requires the results that must follow every interruption: the same command
// succeeds, gates are open, an update changes nothing, and nothing is left over.
func (a *acted) convergesAgain(t *testing.T, row action) {
	a.unlock()
	command := a.commandOf(row)
	a.must(a.run(command[0], command[1:]...))
	a.must(a.health("--timeout", "2m"))
	a.must(a.up("--expect-no-changes"))
	a.leavesNothing(t)
}

// repair repairs the platform after a failed case, for the next one. It sends requests, which a
// canary needs to finish.
func (a *acted) repair() {
	load := a.send(a.t, "shop", 20)
	defer load.end()
	a.must(a.run(strata, "repair", "--stack", a.name))
	a.must(a.up())
	a.must(a.health("--timeout", "2m"))
}
