// Package gate contains the commands with which Pulumi resources run gates. The gates themselves
// are in package health.
package gate

import (
	"context"
	"fmt"
	"os"
	"time"

	"strata/actions/verb"
	"strata/health"
	"strata/health/kinds"
)

// Ask runs a gate and waits until it passes. It writes the progress and the report to stderr, and
// the result as one JSON line to stdout. It fails if the gate cannot pass, or has not passed at its
// timeout. It returns an InputError for an invalid Spec.
var Ask = verb.NewDecoded(kinds.Parse, ask)

// AskAtDelete runs a gate when its resource is deleted. It does not run the gate if
// PULUMI_K8S_DELETE_UNREACHABLE declares the cluster as gone.
var AskAtDelete = verb.NewDecoded(kinds.Parse,
	func(ctx context.Context, call verb.Call, spec health.Spec) error {
		if verb.ClusterGone() {
			return nil
		}
		return ask(ctx, call, spec)
	})

func ask(ctx context.Context, call verb.Call, spec health.Spec) error {
	result, err := kinds.Run(ctx, spec, health.SecretsFrom(os.Getenv), call.Stderr)
	if err != nil {
		return &verb.InputError{Err: err}
	}
	result.Ended = time.Now().UTC()
	if err := call.PrintJSON(result); err != nil {
		return fmt.Errorf("gate %s: result: %w", spec.Gate, err)
	}
	if !result.Passes() {
		return verb.ErrReported
	}
	return nil
}
