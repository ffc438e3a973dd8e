package timeline

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/statelayout"
)

// gateCommand is the command of a gate (pulumitest.GateCommand).
const gateCommand = "exec .strata/bin/strata gate"

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// urn returns the URN of a resource of a layer.
func urn(layer, name string) string {
	return "urn:pulumi:dev::strata::" + statelayout.Token(layer, "Thing") +
		"$command:local:Command::" + name
}

func step(op, urn, create string) *Step {
	s := &Step{}
	s.Metadata.Op, s.Metadata.URN, s.Metadata.Type = op, urn, "command:local:Command"
	s.Metadata.New = &State{}
	s.Metadata.New.Inputs.Create = create
	return s
}

// randomName returns the name of the i-th resource of a random run.
func randomName(i int) string {
	return urn([]string{"hosts", "k3s", "metallb"}[i%3], fmt.Sprint("r", i))
}

// random returns the recording of a run in which every resource starts once all its dependencies
// have ended, at most a moment later.
func random(r *rand.Rand, size int) ([]Line, map[string][]string) {
	graph := map[string][]string{}
	ends := make([]time.Duration, size)
	var lines []Line
	for i := range size {
		name := randomName(i)
		graph[name] = nil
		var from time.Duration
		for j := range i {
			if r.IntN(4) == 0 {
				graph[name] = append(graph[name], randomName(j))
				from = max(from, ends[j])
			}
		}
		from += time.Duration(r.IntN(3)) * time.Millisecond
		ends[i] = from + time.Duration(r.IntN(1000))*time.Millisecond
		lines = append(lines,
			Line{At: start.Add(from),
				Event: &Event{Pre: step("create", name, []string{"true", gateCommand}[r.IntN(2)])}},
			Line{At: start.Add(ends[i]), Event: &Event{Done: step("create", name, "")}})
	}
	return append(lines, Line{At: start.Add(time.Hour), Event: &Event{End: &Summary{}}},
		Line{At: start, Graph: graph}), graph
}

// longest returns the length of the longest dependency chain that ends at a resource. It tries
// every chain.
func longest(run Run, graph map[string][]string, at string) time.Duration {
	var chain time.Duration
	for _, need := range graph[at] {
		chain = max(chain, longest(run, graph, need))
	}
	for _, bar := range run.Bars {
		if bar.URN == at {
			return chain + bar.Duration()
		}
	}
	return chain
}

func TestCriticalPathIsLongestChain(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines, graph := random(r, 1+r.IntN(12))
		run := New(lines)
		var want, serial, marked time.Duration
		for name := range graph {
			want = max(want, longest(run, graph, name))
		}
		ends := map[string]time.Time{}
		for _, bar := range run.Bars {
			ends[bar.URN] = bar.End
			serial += bar.Duration()
			if bar.Critical {
				marked += bar.Duration()
			}
		}
		for _, bar := range run.Bars {
			for _, need := range bar.Needs {
				require.False(t, bar.Start.Before(ends[need]), "seed %d: %s starts before %s ends",
					seed, bar.Name, need)
			}
		}
		require.Equal(t, want, run.Path, "seed %d", seed)
		require.Equal(t, want, marked, "seed %d: the marked bars are the path", seed)
		require.Equal(t, serial, run.Serial, "seed %d", seed)
		require.LessOrEqual(t, run.Path, run.Wall, "seed %d: no chain is longer than the run", seed)
		require.LessOrEqual(t, run.Wall, run.Path+time.Duration(3*len(run.Bars))*time.Millisecond,
			"seed %d", seed)
	}
}

func TestBarsOfDestroyWaitForTheirDependents(t *testing.T) {
	below, above := urn("k3s", "install"), urn("metallb", "release")
	run := New([]Line{
		{At: start, Graph: map[string][]string{above: {below}}},
		{At: start, Event: &Event{Pre: step("delete", above, "")}},
		{At: start.Add(2 * time.Second), Event: &Event{Done: step("delete", above, "")}},
		{At: start.Add(2 * time.Second), Event: &Event{Pre: step("delete", below, "")}},
		{At: start.Add(5 * time.Second), Event: &Event{Done: step("delete", below, "")}},
	})
	assert.Equal(t, 5*time.Second, run.Path)
	assert.Equal(t, []string{above}, run.Bars[1].Needs)
}

func TestTableMarksFailedAndInterruptedBarsOfKilledRun(t *testing.T) {
	gate, install := urn("k3s", "api"), urn("k3s", "install")
	run := New([]Line{
		{At: start, Event: &Event{Pre: step("create", install, "bash")}},
		{At: start, Event: &Event{Pre: step("create", gate, "exec .strata/bin/strata gate")}},
		{At: start.Add(time.Second), Event: &Event{Failed: step("create", gate, "")}},
		{At: start.Add(3 * time.Second), Graph: map[string][]string{}},
	})
	require.Len(t, run.Bars, 2)
	assert.False(t, run.Complete)
	var text strings.Builder
	require.NoError(t, WriteTable(&text, run))
	assert.Contains(t, text.String(), "create failed")
	assert.Contains(t, text.String(), "create cut off")
	assert.Contains(t, text.String(), "did not come to its end")
	assert.Equal(t, time.Second, run.Gates)
}

func TestReadDropsIncompleteLastLine(t *testing.T) {
	lines, err := Read(
		strings.NewReader(`{"at":"2026-01-01T00:00:00Z","event":{"summaryEvent":{}}}` + "\n" +
			`{"at":"2026-`))
	require.NoError(t, err)
	assert.Len(t, lines, 1)
	_, err = Read(strings.NewReader(`{"at":"2026-` + "\n" + `{"at":"2026-01-01T00:00:00Z"}` + "\n"))
	require.ErrorContains(t, err, "line 1")
	_, err = Read(strings.NewReader(""))
	require.Error(t, err)
}
