package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
)

const (
	// healthTimeout bounds each gate: what works passes within a look or two.
	healthTimeout = 15 * time.Second
	// healthParallel bounds how many gates are asked at once.
	healthParallel = 16
)

// healthFlags are the flags of `strata health`.
type healthFlags struct {
	stack, project string
	only           []string
	asJSON         bool
	timeout        time.Duration
	// metrics is a file to write; every is how often to ask again, and zero for once.
	metrics string
	every   time.Duration
}

// newHealthCommand is `strata health`: every gate of a stack, asked again now with the spec that the state has. It exits with
// 0 when all are open and 1 otherwise; a stack without gates is not healthy.
func newHealthCommand() *cobra.Command {
	var flags healthFlags
	command := &cobra.Command{
		Use:   "health",
		Short: "Ask every gate of a stack again, now, and change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.every > 0 {
				return askAgain(cmd, flags)
			}
			return askOnce(cmd, flags)
		},
	}
	ofStack(command, &flags.stack, &flags.project)
	command.Flags().StringSliceVar(&flags.only, "gate", nil, "ask only the gates of these names, and show their progress")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print every gate's result as JSON")
	command.Flags().DurationVar(&flags.timeout, "timeout", healthTimeout, "bound for each gate")
	command.Flags().StringVar(&flags.metrics, "metrics", "", "write the verdicts as metrics to this file, whose name ends in .prom")
	command.Flags().DurationVar(&flags.every, "every", 0, "ask again this often until interrupted, for example 60s; without it, once")
	command.MarkFlagsMutuallyExclusive("metrics", "gate") // a file without some gates would say that they are gone
	return command
}

// askOnce asks the gates, shows what they say and writes it as metrics.
func askOnce(cmd *cobra.Command, flags healthFlags) error {
	state, err := exportStack(cmd.Context(), flags.project, flags.stack)
	if err != nil {
		return err
	}
	gates, err := gatesIn(state)
	if err != nil {
		return err
	}
	if len(gates) == 0 {
		return fmt.Errorf("stack %s has no gates: nothing of it is up; run pulumi up -s %s", flags.stack, flags.stack)
	}
	progress := io.Discard // many gates at once would talk across each other
	if len(flags.only) > 0 {
		if gates, err = selectGates(gates, flags.only); err != nil {
			return &exitError{2, err}
		}
		progress = cmd.ErrOrStderr()
	}
	results := askAll(cmd.Context(), gates, flags.timeout, progress)
	if err := writeHealthMetrics(cmd.Context(), results, flags); err != nil {
		return err
	}
	return showHealth(cmd.OutOrStdout(), results, flags)
}

// selectGates are the gates of the given names. A name that no gate has is an error: asking nothing must not look healthy.
func selectGates(gates []recordedGate, names []string) ([]recordedGate, error) {
	var selected []recordedGate
	for _, name := range names {
		i := slices.IndexFunc(gates, func(gate recordedGate) bool { return gate.spec.Gate == name })
		if i < 0 {
			known := make([]string, 0, len(gates))
			for _, gate := range gates {
				known = append(known, gate.spec.Gate)
			}
			return nil, fmt.Errorf("no gate is called %s; the stack has %s", name, strings.Join(known, ", "))
		}
		selected = append(selected, gates[i])
	}
	return selected, nil
}

// askAll asks every gate at once, each with a short deadline, and returns the results in the gates' order.
func askAll(ctx context.Context, gates []recordedGate, timeout time.Duration, progress io.Writer) []health.Result {
	results := make([]health.Result, len(gates))
	slots := make(chan struct{}, healthParallel)
	var all sync.WaitGroup
	for i, gate := range gates {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			gate.spec.Timeout = metav1.Duration{Duration: timeout}
			gate.spec.TimeoutKey = "--timeout"
			result, err := health.Run(ctx, gate.spec, gate.secrets, progress)
			if err != nil {
				result = health.Result{
					Gate: gate.spec.Gate, Layer: gate.spec.Layer, Kind: gate.spec.Kind, State: health.Stuck, Ending: health.EndedStuck,
					Checks: []health.Verdict{{Check: "spec", State: health.Stuck, Message: err.Error(), Hint: "run pulumi up, which writes it anew"}},
				}
			}
			results[i] = result
		})
	}
	all.Wait()
	return results
}

// showHealth prints the results and returns the exit code as an error.
func showHealth(out io.Writer, results []health.Result, flags healthFlags) error {
	failed := 0
	for _, result := range results {
		if !result.Passes() {
			failed++
		}
	}
	var err error
	if flags.asJSON {
		err = json.NewEncoder(out).Encode(results)
	} else {
		err = writeHealth(out, results, failed, len(flags.only) == 0)
	}
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	if failed > 0 {
		return &exitError{1, nil}
	}
	return nil
}

// writeHealth prints the table, and each failure's report unless that came with the progress.
func writeHealth(out io.Writer, results []health.Result, failed int, reports bool) error {
	table := newTable(out, "LAYER", "GATE", "STATE", "CHECKS", "AFTER")
	for _, r := range results {
		passed := 0
		for _, check := range r.Checks {
			if check.Passes() {
				passed++
			}
		}
		table.row(r.Layer, r.Gate, string(r.State), fmt.Sprintf("%d/%d", passed, len(r.Checks)), r.Elapsed.Round(time.Millisecond).String())
	}
	if err := table.flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.Passes() || !reports {
			continue
		}
		if err := health.WriteReport(out, r); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d of %d gates open\n", len(results)-failed, len(results))
	return err
}
