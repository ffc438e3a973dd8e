package tunnel

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The pause before a tunnel is opened again. It grows, because each attempt may be a login that the
// jump host refuses.
const firstRetry, lastRetry = time.Second, 30 * time.Second

// Keep opens a tunnel as Open does, and keeps it open until ctx ends: it opens a tunnel that has
// ended again. warn receives each failure.
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

// Hold keeps a tunnel open as Keep does, until release is called. It is for callers that continue
// without a tunnel. If the tunnel cannot be opened now, the error has the reason, and Hold keeps
// trying. Meanwhile the Dialer reports to its callers that the tunnel is absent.
func Hold(ctx context.Context, spec Spec, key []byte) (release func(), err error) {
	return hold(ctx, spec, func(ctx context.Context) (*Lease, error) {
		return Open(ctx, spec, key)
	})
}

// hold implements Hold with a function that opens the tunnel.
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

// keep holds a lease, which may be nil at first, until ctx ends. It opens the tunnel again if it
// was lost.
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

// reopen opens a missing tunnel, at once or after a pause. It returns nil when ctx has ended.
func reopen(
	ctx context.Context, atOnce bool, open func(context.Context) (*Lease, error), warn func(string),
) (lease *Lease) {
	told := ""
	growing := wait.Backoff{Duration: firstRetry, Factor: 2, Cap: lastRetry, Steps: 1 << 10}
	// Until fails only when ctx ends.
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
