//go:build bench

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

// TestBench measures the whole platform on three servers and two agents, and merges
// the results into bench/results.json (`make bench`). It fails if an update or a gate fails, but
// not because the machine is slow.
func TestBench(t *testing.T) {
	net := network{"stb0", "10.16.0"}
	all := []node{
		{"server-1", "server", 11}, {"server-2", "server", 12}, {"server-3", "server", 13},
		{"agent-1", "agent", 21}, {"agent-2", "agent", 22},
	}
	hosts := existingHosts(t, "e2eb", net, all...)
	s := newStack(t, "e2e-bench", platform(hosts, all...))
	results := []bench.Result{}
	s.step("the first update", func(*testing.T) {
		took, run := s.recordedUp()
		results = append(results, bench.Most("up_wall", "s", 0.5, 0, []float64{took.Seconds()}))
		results = append(results, ratios(run)...)
	})
	s.step("updates and previews with nothing to do", func(*testing.T) {
		ups, previews := []float64{}, []float64{}
		for range 5 {
			ups = append(ups, s.must(s.up("--expect-no-changes")).took.Seconds())
			previews = append(previews, s.must(s.pulumi("preview",
				"--expect-no-changes")).took.Seconds())
		}
		results = append(results, bench.Most("noop_up", "s", 0.5, 5, ups),
			bench.Most("noop_preview", "s", 0.5, 5, previews))
	})
	lags := []float64{}
	for _, change := range changes(s, hosts) {
		s.step("lag of "+change.gate, func(t *testing.T) {
			own := []float64{}
			for range lagRounds {
				own = append(own, change.lag(t, s))
			}
			t.Logf("lag of %s in ms: %.0f", change.gate, own)
			lags = append(lags, own...)
			results = append(results, bench.Most("gate_lag_p95/"+change.gate, "ms", 0.95, 250, own))
		})
	}
	results = append(results, bench.Most("gate_lag_p50", "ms", 0.5, 0, lags),
		bench.Most("gate_lag_p95", "ms", 0.95, 250, lags))
	require.NoError(t, bench.Merge(filepath.Join(root, "bench/results.json"), results))
	for _, r := range results {
		target := ""
		if r.Target != nil {
			target = " (target at " + map[bool]string{false: "most ", true: "least "}[r.AtLeast] +
				format(*r.Target) + ")"
		}
		t.Logf("%-36s %s %s%s", r.Name, format(r.Value), r.Unit, target)
	}
}
