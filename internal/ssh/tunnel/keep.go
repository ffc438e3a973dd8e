package tunnel

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The pause before a tunnel is opened again grows: each time may be a login that the jump host
// refuses.
const firstRetry, lastRetry = time.Second, 30 * time.Second

// Keep does as Open until ctx ends: it opens a tunnel again that has ended, and warn receives a
// failure.
func Keep(ctx context.Context, spec Spec, key []byte, warn func(string)) error {
	lease, err := Open(ctx, spec, key)
	if err != nil || lease == nil {
		return err
	}
	go keep(ctx, lease, func(
		ctx context.Context,
	) (*Lease, error) {
		return Open(ctx, spec, key)
	}, warn)
	return nil
}

// Hold does as Keep until release is called, for callers that continue without a tunnel. If the
// tunnel cannot be opened now, the error has the reason, and Hold keeps trying. Meanwhile the
// Dialer reports the absence to its callers.
func Hold(ctx context.Context, spec Spec, key []byte) (release func(), err error) {
	return hold(ctx, spec, func(
		ctx context.Context,
	) (*Lease, error) {
		return Open(ctx, spec, key)
	})
}

// hold does as Hold with a function that opens the tunnel.
func hold(
	ctx context.Context, spec Spec, open func(context.Context) (*Lease, error),
) (release func(), err error) {
	if !spec.There() {
		return func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	lease, err := open(ctx)
	var kept sync.WaitGroup
	kept.Go(func() { keep(ctx, lease, open, func(string) {}) })
	return func() { cancel(); kept.Wait() }, err
}

// keep holds a lease, which may be nil at first, and opens the tunnel again if it was lost, until
// ctx ends.
func keep(ctx context.Context, lease *Lease, open func(context.Context) (*Lease, error),
	warn func(string)) {
	for ctx.Err() == nil {
		lost := lease != nil
		if lost {
			stop := context.AfterFunc(ctx, lease.Close)
			lease.wait()
			stop()
			lease.Close()
		}
		lease = again(ctx, lost, open, warn)
	}
	lease.Close()
}

// again opens a missing tunnel, at once or after a pause; nil when ctx has ended.
func again(
	ctx context.Context, atOnce bool, open func(context.Context) (*Lease, error), warn func(string),
) (lease *Lease) {
	told := ""
	growing := wait.Backoff{Duration: firstRetry, Factor: 2, Cap: lastRetry, Steps: 1 << 10}
	// its only error is the end of ctx
	_ = growing.DelayFunc().Until(ctx, atOnce, true, func(ctx context.Context) (bool, error) {
		opened, err := open(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != told {
			told = err.Error()
			warn(told)
		}
		lease = opened
		return err == nil, nil
	})
	return lease
}
