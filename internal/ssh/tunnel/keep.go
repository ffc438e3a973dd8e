package tunnel

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The first and the longest pause before a tunnel is opened again. The pause grows, because the
// jump host may refuse each login.
const firstRetry, lastRetry = time.Second, 30 * time.Second

// Keep opens a tunnel as Open does, and opens it again whenever it has exited, until ctx ends. It
// calls warn with each new error.
func Keep(ctx context.Context, spec Spec, key []byte, warn func(string)) error {
	lease, err := Open(ctx, spec, key)
	if err != nil || lease == nil {
		return err
	}
	go keep(ctx, lease, func(ctx context.Context) (*Lease, error) {
		return Open(ctx, spec, key)
	}, warn)
	return nil
}

// Hold keeps a tunnel open as Keep does, until release is called. It is for callers that also work
// without a tunnel: if the tunnel cannot be opened now, Hold returns the error and keeps trying.
// Until then, connections through Dialer fail with a DownError.
func Hold(ctx context.Context, spec Spec, key []byte) (release func(), err error) {
	return hold(ctx, spec, func(ctx context.Context) (*Lease, error) {
		return Open(ctx, spec, key)
	})
}

// hold is Hold with the function that opens the tunnel as a parameter, for tests.
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

// keep waits until the tunnel of lease has exited, and then opens it again, until ctx ends. If
// lease is nil, it first opens the tunnel.
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
		lease = reopen(ctx, lost, open, warn)
	}
	lease.Close()
}

// reopen opens a tunnel, and retries until it succeeds. It starts at once, or after a pause if
// atOnce is false. It returns nil if ctx has ended.
func reopen(
	ctx context.Context, atOnce bool, open func(context.Context) (*Lease, error), warn func(string),
) (lease *Lease) {
	told := ""
	growing := wait.Backoff{Duration: firstRetry, Factor: 2, Cap: lastRetry, Steps: 1 << 10}
	// Until fails only if ctx has ended.
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
