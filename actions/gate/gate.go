// Package gate has the commands of the gates' resources. The gates themselves are in package health.
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

// Ask waits until a gate opens: progress and the report go to stderr, the result as one JSON line to
// stdout. A gate that is stuck or late is a failure, a Spec that cannot be asked an InputError.
var Ask = verb.NewDecoded(kinds.Parse, ask)

// AskAtDelete asks a gate at the delete of its resource, and passes where Pulumi is told that the
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
