package timeline

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/text/seen"
)

func TestSumsOfLayersEqualSumsOfRun(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		lines, _ := random(r, 1+r.IntN(12))
		run := New(lines)
		var sum Layer
		for _, layer := range run.Layers {
			sum.Resources += layer.Resources
			sum.Serial += layer.Serial
			sum.Gates += layer.Gates
			sum.Critical += layer.Critical
			require.Len(t, run.Share(layer.Name), layer.Resources)
			require.LessOrEqual(t, layer.Wall, run.Wall, "seed %d", seed)
			require.LessOrEqual(t, layer.Gates, layer.Serial, "seed %d", seed)
		}
		require.Equal(t, len(run.Bars), sum.Resources, "seed %d", seed)
		require.Equal(t, run.Serial, sum.Serial, "seed %d", seed)
		require.Equal(t, run.Gates, sum.Gates, "seed %d", seed)
		require.Equal(t, run.Path, sum.Critical, "seed %d", seed)
		for _, bar := range run.Bars {
			began := run.Start.Add(bar.Delay)
			if bar.WaitedFor != "" {
				began = run.Bars[run.index()[bar.WaitedFor]].End.Add(bar.Delay)
			}
			require.True(t, began.Equal(bar.Start),
				"seed %d: what %s waited for and its delay explain its start", seed, bar.Name)
		}
	}
}

func TestBarOfGateHasDependencyMessagesAndLag(t *testing.T) {
	install, gate := urn("k3s", "install"), urn("k3s", "api")
	begun := step("create", gate, gateCommand)
	begun.Metadata.New.Inputs.GateKind = "server"
	output := func(after time.Duration, message string) Line {
		return Line{At: start.Add(after),
			Event: &Event{Diagnostic: &Diagnostic{URN: gate, Message: message}}}
	}
	decided := seen.Line("api", start.Add(3800*time.Millisecond))
	run := New([]Line{
		{At: start, Event: &Event{Pre: step("create", install, "bash")}},
		{At: start.Add(time.Second), Event: &Event{Done: step("create", install, "bash")}},
		{At: start.Add(1200 * time.Millisecond), Event: &Event{Pre: begun}},
		output(2*time.Second, "api: 0/1 Ready; /readyz: connection refused, 1 s"),
		output(3*time.Second, "something of the shell's"),
		output(3900*time.Millisecond, "api: ready after 2.7s"),
		output(3900*time.Millisecond, decided),
		{At: start.Add(4 * time.Second), Event: &Event{Done: step("create", gate, "")}},
		{At: start.Add(5 * time.Second), Graph: map[string][]string{gate: {install}}},
	})
	bar := run.Bars[1]
	assert.Equal(t, "server", bar.Kind)
	assert.Equal(t, install, bar.WaitedFor)
	assert.Equal(t, 200*time.Millisecond, bar.Delay)
	assert.Equal(t, []string{"api: 0/1 Ready; /readyz: connection refused, 1 s",
		"api: ready after 2.7s"}, bar.Messages)
	require.NotNil(t, bar.Lag)
	assert.Equal(t, 200*time.Millisecond, *bar.Lag)
	assert.Equal(t, 200*time.Millisecond, *run.Lag)
	var text strings.Builder
	require.NoError(t, WriteTable(&text, run))
	assert.Contains(t, text.String(), "gate lag 0.20s")
}

func TestDeletedOrUnchangedGateAddsNoGateTime(t *testing.T) {
	gate := urn("k3s", "api")
	for _, op := range []string{"same", "delete"} {
		run := New([]Line{
			{At: start, Event: &Event{Pre: step(op, gate, gateCommand)}},
			{At: start.Add(time.Second), Event: &Event{Done: step(op, gate, gateCommand)}},
		})
		assert.Zero(t, run.Gates, op)
		assert.Nil(t, run.Lag, "a recording without it holds no lag, not one of zero")
	}
}

// A run that changes nothing has no ratio, because only Pulumi's engine takes time.
func TestUnchangedRunHasNoCriticalPathRatio(t *testing.T) {
	run := Run{Wall: 3 * time.Second, Path: time.Second / 10, Complete: true,
		Bars: []Bar{{Op: "same"}, {Op: "same"}}}
	assert.Contains(t, Totals(run), "ratio –;")
	run.Bars[1].Op = "update"
	assert.Contains(t, Totals(run), "ratio 30.00;")
}

func TestRecordedDestroyHasExpectedBarsAndWallTime(t *testing.T) {
	file, err := os.Open("testdata/destroy.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines, err := Read(file)
	require.NoError(t, err)
	run := New(lines)
	assert.Equal(t, "destroy", run.Operation)
	assert.False(t, run.HasFailed())
	assert.Len(t, run.Bars, 91)
	assert.Equal(t, 6215*time.Millisecond, run.Wall.Round(time.Millisecond))
	assert.LessOrEqual(t, run.Path, run.Wall)
}

// A change of the program may reverse a dependency between two states, which makes a cycle in the
// graph.
func TestDependencyCycleDoesNotHang(t *testing.T) {
	a, b := urn("k3s", "a"), urn("k3s", "b")
	var lines []Line
	for i, name := range []string{a, b} {
		at := start.Add(time.Duration(i) * time.Second)
		lines = append(lines, Line{At: at, Event: &Event{Pre: step("create", name, "")}},
			Line{At: at.Add(time.Second), Event: &Event{Done: step("create", name, "")}})
	}
	run := New(append(lines, Line{At: start, Graph: map[string][]string{a: {b}}},
		Line{At: start, Graph: map[string][]string{b: {a}}}))
	assert.Len(t, run.Bars, 2)
	assert.Positive(t, run.Path)
}
