package tunnel

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// The pause before a tunnel is opened again grows: each time may be a login that the jump host
// turns down.
const firstRetry, lastRetry = time.Second, 30 * time.Second

// Keep is Open until ctx ends: a tunnel that ends meanwhile is opened again, and warn is told where
// that fails.
func Keep(ctx context.Context, spec Spec, key []byte, warn func(string)) error {
	lease, err := Open(ctx, spec, key)
	if err != nil || lease == nil {
		return err
	}
	go keep(ctx, lease, func(ctx context.Context) (*Lease, error) { return Open(ctx, spec, key) }, warn)
	return nil
}

// Hold is Keep until release is called, for who goes on without a tunnel as well: where it cannot
// be opened now, the error says why, and it is tried again. Who connects through a tunnel that is
// not there hears that from the Dialer.
func Hold(ctx context.Context, spec Spec, key []byte) (release func(), err error) {
	return hold(ctx, spec, func(ctx context.Context) (*Lease, error) { return Open(ctx, spec, key) })
}

// hold is Hold with the way to open it.
func hold(ctx context.Context, spec Spec, open func(context.Context) (*Lease, error)) (release func(), err error) {
	if !spec.There() {
		return func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	lease, err := open(ctx)
	var kept sync.WaitGroup
	kept.Go(func() { keep(ctx, lease, open, func(string) {}) })
	return func() { cancel(); kept.Wait() }, err
}

// keep holds a lease, which is nil where there is none yet, and opens the tunnel again where it was
// lost, until ctx ends.
func keep(ctx context.Context, lease *Lease, open func(context.Context) (*Lease, error), warn func(string)) {
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

// again opens a tunnel that is not there, at once or after a pause; nil when ctx has ended.
func again(
	ctx context.Context, atOnce bool, open func(context.Context) (*Lease, error), warn func(string),
) (lease *Lease) {
	told := ""
	growing := wait.Backoff{Duration: firstRetry, Factor: 2, Cap: lastRetry, Steps: 1 << 10}
	_ = growing.DelayFunc().Until(ctx, atOnce, true, func(ctx context.Context) (bool, error) { // its only error is the end of ctx
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
