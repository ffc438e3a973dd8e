//go:build bench

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/bench"
)

// benchRequests is the least number of requests in each phase, and benchRate the number per second.
const benchRequests, benchRate = 10_000, 200

// TestBenchWorkload counts the requests that a workload with default settings loses in
// each kind of replacement (`make bench`).
func TestBenchWorkload(t *testing.T) {
	w := newWorkloadStory(t, "e2ebw", network{"stz0", "10.27.0"}, defaultShop())
	w.step("up", func(*testing.T) { w.must(w.up()) })
	w.step("lost requests by phase", func(t *testing.T) {
		report := w.phases(t, benchRate, benchRequests)
		t.Logf("%d requests were not sent, because this machine could not keep the rate",
			report.Unsent)
		var results []bench.Result
		for _, phase := range report.Phases[1:] {
			if phase.Name == "nothing" {
				continue
			}
			assert.GreaterOrEqual(t, phase.Sent, benchRequests, phase.Name)
			name := strings.ReplaceAll(strings.ToLower(phase.Name), " ", "_")
			results = append(results, bench.None("requests_lost/"+name, "requests",
				float64(phase.Lost)),
				bench.Most("requests_sent/"+name, "requests", 0.5, 0,
					[]float64{float64(phase.Sent)}),
				bench.Most("requests_p99/"+name, "ms", 0.5, 0, []float64{phase.Latency.P99}))
		}
		write(t, results)
	})
}

// TestBenchUnprotected counts the requests that the workload loses without each
// protection. It also compares the ways in which Pods wait for their certificates.
func TestBenchUnprotected(t *testing.T) {
	w := newWorkloadStory(t, "e2ebw", network{"stz0", "10.27.0"}, defaultShop())
	w.step("up", func(*testing.T) { w.must(w.up()) })
	for _, r := range removals {
		w.step("requests lost without "+r.name, func(t *testing.T) {
			lost := w.unprotected(t, r, 60)
			assert.Positive(t, lost, "the test does not see that loss")
			write(t, []bench.Result{bench.Most("requests_lost_without/"+
				strings.ReplaceAll(r.name, " ", "_"), "requests", 0.5, 0,
				[]float64{float64(lost)})})
		})
	}
	w.step("starts of Pods before their certificates exist", func(t *testing.T) {
		var results []bench.Result
		for way, r := range w.certificateRace(t, raceNone, raceMount, raceEdge, raceInit, raceBoth) {
			name := strings.ReplaceAll(strings.ReplaceAll(way, " ", "_"), "'", "")
			results = append(results, bench.Most("certificate_race_failed_mounts/"+name, "events",
				0.5, 0, []float64{float64(r.failedMounts)}))
			if r.started {
				results = append(results,
					bench.Most("certificate_race_start_delay/"+name, "s", 0.5, 0,
						[]float64{r.late.Seconds()}))
			}
			if way == raceEdge || way == raceInit || way == raceBoth {
				assert.True(t, r.started, way)
				assert.Zero(t, r.failedMounts, way)
			}
		}
		write(t, results)
	})
}
