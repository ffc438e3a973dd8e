// Package gate holds the commands that run gates for their resources. Package health has the gates
// themselves.
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

// Ask waits until a gate opens. It writes the progress and the report to stderr, and the result as
// one JSON line to stdout. A gate that is stuck or late is a failure. A Spec that cannot be run is
// an InputError.
var Ask = verb.NewDecoded(kinds.Parse, ask)

// AskAtDelete runs a gate when its resource is deleted. It passes if Pulumi was told that the
// cluster is gone.
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
