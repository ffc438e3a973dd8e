package observe

import (
	"context"
	"time"

	"strata/health"
)

// Interval is the pause between observations without a reported change. It bounds the delay by a
// watch on a dead connection.
const Interval = time.Second

// Signal asks for an observation; one that is already asked for is enough.
func Signal(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default:
	}
}

// WaitFor returns after d, or earlier when wake is signalled, which it reports, or ctx ends.
func WaitFor(ctx context.Context, wake <-chan struct{}, d time.Duration) (woken bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
		return true
	case <-timer.C:
	}
	return false
}

// Pause waits without a wake.
func Pause(ctx context.Context, d time.Duration) { WaitFor(ctx, nil, d) }

// Repeat calls observe at once, after every change and every interval, until ctx ends, and reports
// verdicts that differ from the ones before.
func Repeat(ctx context.Context, changed <-chan struct{}, every time.Duration,
	observe func(context.Context) []health.Verdict, report func([]health.Verdict)) {
	report = ChangesOnly(report)
	Again(ctx, changed, every, func(ctx context.Context) {
		if verdicts := observe(ctx); ctx.Err() == nil {
			report(verdicts)
		}
	})
}

// Again calls act at once, after every change and every interval, until ctx ends.
func Again(
	ctx context.Context, changed <-chan struct{}, every time.Duration, act func(context.Context),
) {
	for ctx.Err() == nil {
		act(ctx)
		WaitFor(ctx, changed, every)
	}
}
