package health

import (
	"context"
)

// Watch observes the subject of one gate.
//
// Run blocks until ctx ends and calls report with the verdicts of every check, in a stable order,
// each time one of them may have changed. It reports failures to observe as Waiting, or as Stuck if
// waiting cannot help. It returns an error only for an unusable Spec or unusable Secrets. report
// may be called from several goroutines.
type Watch interface {
	Run(ctx context.Context, report func([]Verdict)) error
}
