//go:build bench

package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

// TestBenchKills interrupts updates and destroys of a stack like
// Pulumi.local.yaml, on machines that Strata creates, at random times. It counts the interruptions
// after which an update converges and a second one changes nothing (`make bench-kills`). KILLS is
// the number of interruptions, and SEED selects their times.
func TestBenchKills(t *testing.T) {
	kills, seed := number(t, "KILLS", 20), number(t, "SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0)) // not a secret
	net := network{"stk0", "10.29.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 21}}
	pve := newPVE(t, "e2e-kills", net, all...)
	s := newStack(t, "e2e-kills", map[string]any{
		"hosts":   pve.hosts(nil, all...),
		"metallb": map[string]any{"addresses": []any{net.pool()}},
		"ingress": map[string]any{"controllers": []any{"traefik"}},
	})
	up, down := s.must(s.up()), s.must(s.destroy())
	subcommands := map[string]string{up.line: "up", down.line: "destroy"}
	tried, converged := 0, 0
	for tried < kills {
		for _, run := range []result{up, down} {
			after := time.Duration(random.Float64() * float64(run.took)).Round(
				100 * time.Millisecond)
			how := interruptions[random.IntN(len(interruptions))]
			if !s.interrupted(t, how, after, net, subcommands[run.line]) {
				continue
			}
			tried++
			if s.converges() == nil {
				converged++
			} else {
				s.must(s.run(strata, "repair", "--stack", s.name))
			}
			t.Logf("%d of %d kills converged", converged, tried)
		}
		s.must(s.destroy())
		s.nothingLeft(t, pve.machines)
	}
	require.NoError(t, bench.Tally(filepath.Join(root, "bench/results.json"), "lab/local",
		bench.Kills, tried, converged))
	require.Equal(t, tried, converged)
}

// number returns the number in an environment variable, or otherwise if it is not set.
func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return value
}
