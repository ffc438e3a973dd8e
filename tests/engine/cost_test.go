//go:build bench

package engine_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

// most is the largest number of workloads. Without the flag -long, updates that save each step are
// measured only up to usual.
const most, usual = 1000, 100

var long = flag.Bool("long", false,
	"measure 1000 workloads also with the state saved after each step; takes half an hour")

// TestBenchMeasuresCostOfUpdates measures how the cost of an update, and of one without changes,
// grows with the number of workloads. The providers take no time. Three kinds of updates are
// measured: one that saves the state after each step, like the file backend, one that saves it only
// at its end, and one without changes. Of the first kind, the shares of processor time are
// measured, too. `make bench` writes the results into bench/results.json.
func TestBenchMeasuresCostOfUpdates(t *testing.T) {
	results := []bench.Result{}
	for _, number := range []int{1, 10, usual, most} {
		samples := 3
		if number == most {
			samples = 1
		}
		var c cost
		for range samples {
			c.measure(t, number)
		}
		results = append(results, bench.On("cost_up_once", "workloads", number, "s", c.once),
			bench.On("cost_noop", "workloads", number, "s", c.noop))
		if len(c.saving) > 0 {
			results = append(results, bench.On("cost_up", "workloads", number, "s", c.saving))
			// Only the shares of processor time for the largest number are kept.
			results = slices.DeleteFunc(results,
				func(r bench.Result) bool { return r.Unit == "ratio" })
			results = append(results, shares(t, &c.profiled, number)...)
		}
		t.Logf("%d workloads: up %.2f s, saved once %.2f s, nothing to do %.2f s", number, c.saving,
			c.once, c.noop)
	}
	require.NoError(t, bench.Merge(filepath.Join(root, "bench/results.json"), results))
}

// cost has the durations for one number of workloads, in seconds.
type cost struct {
	saving, once, noop []float64
	// profiled is the CPU profile of the last update that saved each step.
	profiled bytes.Buffer
}

func (c *cost) measure(t *testing.T, number int) {
	program := workloads(number)
	up := func(s *stack) float64 {
		took, _ := s.timedUp()
		return took.Seconds()
	}
	if number <= usual || *long {
		s := newStack(t, "local")
		s.registers, s.pace = program, 0
		c.profiled.Reset()
		require.NoError(t, pprof.StartCPUProfile(&c.profiled))
		c.saving = append(c.saving, up(s))
		pprof.StopCPUProfile()
	}
	s := newStack(t, "local")
	s.registers, s.pace = program, 0
	t.Setenv("PULUMI_SKIP_CHECKPOINTS", "true")
	c.once = append(c.once, up(s))
	t.Setenv("PULUMI_SKIP_CHECKPOINTS", "false")
	noop, changes := s.timedUp()
	require.Equal(t, []string{"same"}, keys(changes))
	c.noop = append(c.noop, noop.Seconds())
}

// parts assign processor time by functions. A sample belongs to the part of its innermost function
// whose name contains the text of a part.
var parts = []struct{ name, function string }{
	{"saving the state", "engine_test.(*checkpoint)."},
	{"saving the state", "/pkg/v3/backend."},
	{"saving the state", "/pkg/v3/resource/stack."},
	{"the engine", "/pkg/v3/engine."},
	{"the engine", "/pkg/v3/resource/deploy."},
	{"the program", "/sdk/v3/go/pulumi."},
	{"the program", "strata/"},
	{"talking to providers", "/sdk/v3/go/common/resource/plugin."},
	{"talking to providers", "/pkg/v3/resource/plugin."},
	{"talking to providers", "google.golang.org/grpc"},
	{"collecting garbage", "runtime.gcBgMarkWorker"},
}

// shares returns each part's share of a profile.
func shares(t *testing.T, profiled *bytes.Buffer, number int) []bench.Result {
	t.Helper()
	parsed, err := profile.Parse(profiled)
	require.NoError(t, err)
	counted, all := map[string]float64{}, 0.0
	for _, sample := range parsed.Sample {
		value := float64(sample.Value[1]) // nanoseconds
		counted[partOf(sample)] += value
		all += value
	}
	require.Positive(t, all)
	var results []bench.Result
	for part, value := range counted {
		results = append(results, bench.On("cost_share/"+part, "workloads", number, "ratio",
			[]float64{value / all}))
	}
	return results
}

func partOf(sample *profile.Sample) string {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			for _, part := range parts {
				if strings.Contains(line.Function.Name, part.function) {
					return part.name
				}
			}
		}
	}
	return "the rest"
}
