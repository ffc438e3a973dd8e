package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kinds"
	"strata/internal/stackstate"
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
	// file is the stack's file; empty for the project's own.
	file    string
	only    []string
	asJSON  bool
	timeout time.Duration
	// metrics is a file to write; every is how often to ask again, and zero for once.
	metrics string
	every   time.Duration
}

// newHealthCommand is `strata health`: every gate that a stack should have by its configuration, asked again now with the spec that the
// state has. It exits with 0 when all are there and open, 1 when one is not, and 2 when all that the state has are open and nobody can
// say what the configuration asks for.
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
	ofFile(command, &flags.file)
	command.Flags().StringSliceVar(&flags.only, "gate", nil, "ask only the gates of these names, and show their progress")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "print every gate's result as JSON")
	command.Flags().DurationVar(&flags.timeout, "timeout", healthTimeout, "bound for each gate")
	command.Flags().StringVar(&flags.metrics, "metrics", "", "write the verdicts as metrics to this file, whose name ends in .prom")
	command.Flags().DurationVar(&flags.every, "every", 0, "ask again this often until interrupted, for example 60s; without it, once")
	command.MarkFlagsMutuallyExclusive("metrics", "gate") // a file without some gates would say that they are gone
	return command
}

// askOnce asks the gates, holds them against the configuration, shows what they say and writes it as metrics.
func askOnce(cmd *cobra.Command, flags healthFlags) error {
	gates, err := gatesOf(cmd.Context(), flags)
	if err != nil {
		return err
	}
	want := expectedGates(cmd.Context(), flags)
	progress := io.Discard // many gates at once would talk across each other
	if len(flags.only) > 0 {
		if gates, want, err = selectGates(gates, want, flags.only); err != nil {
			return &exitError{2, err}
		}
		progress = cmd.ErrOrStderr()
	}
	if len(gates) == 0 && len(want.gates) == 0 {
		return errors.Join(fmt.Errorf("stack %s has no gates: nothing of it is up; run pulumi up -s %s", flags.stack, flags.stack), want.unknown)
	}
	asked := round{stack: flags.stack, gates: want.merge(askAll(cmd.Context(), gates, flags.timeout, progress)), expected: want}
	if err := writeHealthMetrics(cmd.Context(), asked, flags); err != nil {
		return err
	}
	return asked.show(cmd.OutOrStdout(), flags)
}

// gatesOf are the gates in the stack's state; none when there is no such stack yet.
func gatesOf(ctx context.Context, flags healthFlags) ([]recordedGate, error) {
	state, err := stackstate.CommandLine(flags.project).Read(ctx, flags.stack)
	if errors.Is(err, stackstate.ErrNoStack) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return gatesIn(state)
}

// selectGates are the gates of the given names: those that the state has, and what to hold them against. A name that neither the state
// nor the configuration has is an error: asking nothing must not look healthy.
func selectGates(gates []recordedGate, want expected, names []string) ([]recordedGate, expected, error) {
	var selected []recordedGate
	wanted := expected{file: want.file}
	for _, name := range names {
		recorded := slices.IndexFunc(gates, func(gate recordedGate) bool { return gate.spec.Gate == name })
		if recorded >= 0 {
			selected = append(selected, gates[recorded])
		}
		i := slices.IndexFunc(want.gates, func(spec health.Spec) bool { return spec.Gate == name })
		switch {
		case i >= 0:
			wanted.gates = append(wanted.gates, want.gates[i])
		case recorded >= 0 && want.unknown != nil:
			wanted.gates = append(wanted.gates, gates[recorded].spec) // whether others are missing was not asked
		case recorded < 0:
			return nil, want, errors.Join(fmt.Errorf("no gate is called %s; there are %s", name, strings.Join(gateNames(gates, want), ", ")), want.unknown)
		}
	}
	return selected, wanted, nil
}

// gateNames are the names of the gates that a stack has or should have.
func gateNames(gates []recordedGate, want expected) []string {
	var names []string
	for _, gate := range gates {
		names = append(names, gate.spec.Gate)
	}
	for _, spec := range want.gates {
		if !slices.Contains(names, spec.Gate) {
			names = append(names, spec.Gate)
		}
	}
	return names
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
			result, err := kinds.Run(ctx, gate.spec, gate.secrets, progress)
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
