package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/drift"
	"strata/tests/bench"
)

// putsBackWhatWasChanged makes all changes of drifts. `strata drift` and the preview must name each
// one. After a killed update, the next one must revert all of them, and another one must change
// nothing.
func (s *stack) putsBackWhatWasChanged(t *testing.T, hosts *hostSet) {
	alarms := s.drift(t)
	require.Empty(t, alarms, "false alarms after an update")
	var wanted []string
	for _, one := range drifts {
		hosts.must(one.host, one.change)
		wanted = append(wanted, one.thing)
	}
	var found []string
	for _, one := range s.drift(t) {
		// The kernel changes this sysctl together with net.ipv4.ip_forward.
		if one.Thing != "sysctl net.ipv4.conf.all.forwarding on server-1" &&
			!slices.Contains(found, one.Thing) {
			assert.Empty(t, one.Kept, one.Thing)
			found = append(found, one.Thing)
		}
	}
	assert.ElementsMatch(t, wanted, found)
	shown := s.must(s.pulumi("preview", "--diff")).output
	for _, thing := range wanted {
		assert.Contains(t, shown, thing+": ")
	}
	// At this output, the update has restored only a part of MetalLB's objects and Pods.
	s.killedWhen(t, "metallb-release updating", func() {})
	require.NoError(t, s.converges())
	left := s.drift(t)
	assert.Empty(t, left)
	s.healthy()
	all, puts := float64(len(drifts)), float64(len(drifts)-len(left))
	s.record(t, bench.Least("drift_named", "drifts", 0.5, all, []float64{float64(len(found))}),
		bench.Least("drift_repaired", "drifts", 0.5, all, []float64{puts}),
		bench.None("drift_false_alarms", "drifts", float64(len(alarms))))
}

// drift returns the differences that `strata drift` finds. It fails if anything was not compared.
func (s *stack) drift(t *testing.T) (found []drift.Difference) {
	t.Helper()
	r := s.run(strata, "drift", "--json", "--stack", s.name, "--config-file", s.config)
	lines := strings.Split(strings.TrimSpace(r.output), "\n")
	require.Len(t, lines, 1, r.output)
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &found), r.output)
	return found
}
