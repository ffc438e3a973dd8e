package observe

import (
	"context"
	"time"

	"strata/health"
)

// Interval is the pause between observations if nothing signals a change. It limits the delay after
// a watch connection has died unnoticed.
const Interval = time.Second

// Signal requests an observation. It does nothing if one is already requested.
func Signal(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default:
	}
}

// WaitFor waits for d, until wake is signalled or until ctx ends. It reports whether wake was
// signalled.
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

// Pause waits for d or until ctx ends.
func Pause(ctx context.Context, d time.Duration) { WaitFor(ctx, nil, d) }

// Repeat calls observe at once, then after every signal on changed or the pause every, until ctx
// ends. It reports verdicts that differ from the previous ones.
func Repeat(ctx context.Context, changed <-chan struct{}, every time.Duration,
	observe func(context.Context) []health.Verdict, report func([]health.Verdict)) {
	report = ChangesOnly(report)
	RepeatAction(ctx, changed, every, func(ctx context.Context) {
		if verdicts := observe(ctx); ctx.Err() == nil {
			report(verdicts)
		}
	})
}

// RepeatAction calls act at once, then after every signal on changed or the pause every, until ctx
// ends.
func RepeatAction(
	ctx context.Context, changed <-chan struct{}, every time.Duration, act func(context.Context),
) {
	for ctx.Err() == nil {
		act(ctx)
		WaitFor(ctx, changed, every)
	}
}
