package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/tests/bench"
)

// counted counts the trials of one stack. If RECORD is set, it writes the counts into
// bench/results.json during the run, so that an interrupted run keeps them.
type counted struct {
	t                      *testing.T
	name                   string
	kills, converged       int
	histories, violated, n int
}

func (c *counted) kill(err error) {
	c.kills++
	if err == nil {
		c.converged++
	}
	c.write(100)
}

func (c *counted) history(err error) {
	if c.violated > 0 {
		return // the failed history is being shortened
	}
	c.histories++
	if err != nil {
		c.violated++
	}
	c.write(20)
}

// write writes the counts if their number is a multiple of every, or always if every is 0.
func (c *counted) write(every int) {
	if c.n++; every > 0 && c.n%every != 0 || os.Getenv("RECORD") == "" {
		return
	}
	path := filepath.Join(root, "bench", "results.json")
	if c.kills > 0 {
		require.NoError(c.t, bench.Tally(path, "engine/"+c.name, bench.Kills, c.kills, c.converged))
	}
	if c.histories > 0 {
		require.NoError(c.t, bench.Tally(path, "engine/"+c.name, bench.Histories, c.histories,
			c.violated))
	}
}
