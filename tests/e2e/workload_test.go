package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No request may be lost while a workload, its configuration and everything below it is replaced.
// `make bench` runs the same phases with ten thousand requests each, and without each protection in
// turn.
func TestWorkload(t *testing.T) {
	t.Parallel()
	w := newWorkloadStory(t, "e2ew", network{"stw0", "10.31.0"}, quickShop())
	w.step("the first update succeeds, and a second one changes nothing", func(*testing.T) {
		w.must(w.up())
		w.must(w.up("--expect-no-changes"))
	})
	w.ahead(w.hosts, "no phase loses a request", func(t *testing.T) {
		const least = 400
		report := w.phases(t, 40, least)
		assert.Zero(t, report.Total.Lost, "%s", report.Text())
		for _, name := range []string{"version rollout", "config rollout", "certificate renewal", "node drain", "Traefik rollout"} {
			assert.GreaterOrEqual(t, sentIn(report.Phases, name), least,
				"%s: too few to have seen a loss", name)
		}
	})
	w.ahead(w.hosts, "a rollout after an API server's start loses no request", func(t *testing.T) {
		report := w.rollsOutBehindAStart(t, 40)
		assert.Zero(t, report.Total.Lost, "%s", report.Text())
	})
	w.ahead(w.hosts, "a canary gives a new version a part of the requests", w.triesVersions)
	w.ahead(w.hosts, "without its preStop hook the workload loses requests",
		func(t *testing.T) {
			lost := w.unprotected(t, unprotected("preStop"), 40)
			assert.Positive(t, lost)
		})
	w.step("an update fails while the ingress is down, and succeeds after it is restored",
		w.failsOverADeadIngress)
	w.step("a Pod starts once the Secret of its certificate exists", func(t *testing.T) {
		results := w.certificateRace(t, raceInit)
		assert.Zero(t, results[raceInit].failedMounts)
		require.True(t, results[raceInit].started)
	})
}
