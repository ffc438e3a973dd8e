package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/internal/atomicfile"
	"strata/internal/metrics"
)

// askAgain asks the gates now and at every interval until it is interrupted, which is no failure. A round that fails is told and
// leaves the metrics of the last good one: their age says so.
func askAgain(cmd *cobra.Command, flags healthFlags) error {
	tick := time.NewTicker(flags.every)
	defer tick.Stop()
	for {
		if err := askOnce(cmd, flags); err != nil && err.Error() != "" && cmd.Context().Err() == nil {
			_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "strata: "+err.Error()) // The next round goes on whether or not it can be read.
		}
		select {
		case <-tick.C:
		case <-cmd.Context().Done():
			return nil
		}
	}
}

// writeHealthMetrics writes the verdicts to the file that was asked for, at once. Those of a round that was interrupted say nothing
// about the gates.
func writeHealthMetrics(ctx context.Context, asked round, flags healthFlags) error {
	if flags.metrics == "" || ctx.Err() != nil {
		return nil
	}
	var content bytes.Buffer
	if err := metrics.WriteHealth(&content, metrics.Health{Stack: asked.stack, Results: asked.results(), Known: asked.expected.unknown == nil, At: time.Now()}); err != nil {
		return err
	}
	if err := atomicfile.Write(flags.metrics, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
