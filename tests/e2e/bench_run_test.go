//go:build bench

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/cli/timeline"
	"strata/tests/bench"
)

// recordedUp runs an update with a recording, like `make up`, and returns its duration and the
// recording.
func (s *stack) recordedUp() (time.Duration, timeline.Run) {
	s.t.Helper()
	file := filepath.Join(s.dir, "up.jsonl")
	r := s.must(s.run(strata, "record", "--stack", s.name, "--output", file, "--",
		filepath.Join(pulumiHome, "bin", "pulumi"),
		"up", "--stack", s.name, "--config-file", s.config, "--non-interactive", "--yes",
		"--skip-preview", "--parallel", "32"))
	recording, err := os.Open(file)
	require.NoError(s.t, err)
	defer func() { _ = recording.Close() }()
	lines, err := timeline.Read(recording)
	require.NoError(s.t, err)
	run := timeline.New(lines)
	require.False(s.t, run.HasFailed())
	return r.took, run
}

// ratios returns two ratios of a run: its wall time to its critical path, and the sum of its steps
// to its wall time. They do not depend on the machine's speed.
func ratios(run timeline.Run) []bench.Result {
	return []bench.Result{
		bench.Most("critical_path_ratio", "ratio", 0.5, 1.10, []float64{run.Ratio()}),
		bench.Least("up_serial_ratio", "ratio", 0.5, 2,
			[]float64{run.Serial.Seconds() / run.Wall.Seconds()}),
	}
}

// TestBenchMachines measures an update, and one with nothing to do, with one
// server and 0 to 7 agents (`make bench-machines`). It is not part of `make bench`, which must run
// on any machine, because eight hosts need about 8 GiB.
func TestBenchMachines(t *testing.T) {
	for _, number := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			all := []node{{"server-1", "server", 11}}
			for i := 1; i < number; i++ {
				all = append(all, node{fmt.Sprintf("agent-%d", i), "agent", 20 + i})
			}
			hosts := existingHosts(t, "e2em", network{"stc0", "10.21.0"}, all...)
			s := newStack(t, "e2e-machines", staging(hosts, all...))
			up, _ := s.recordedUp()
			asking := s.noops()
			silent := staging(hosts, all...)
			silent["verify"], silent["drift"] = "off", map[string]any{"mode": "off"}
			s.configure(silent)
			bare := s.noops()
			s.must(s.destroy())
			// The results are written at once. If this machine cannot run a larger number of
			// machines, the results of the smaller numbers are kept.
			require.NoError(t, bench.Merge(filepath.Join(root, "bench/results.json"),
				[]bench.Result{
					bench.On("lab_up", "machines", number, "s", []float64{up.Seconds()}),
					bench.On("lab_noop", "machines", number, "s", asking),
					bench.On("lab_noop_bare", "machines", number, "s", bare),
				}))
		})
	}
}

// noops returns the times of five updates with nothing to do, in seconds.
func (s *stack) noops() (took []float64) {
	for range 5 {
		took = append(took, s.must(s.up("--expect-no-changes")).took.Seconds())
	}
	return took
}
