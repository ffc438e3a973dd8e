package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// openLimit bounds the start of a tunnel: a login. It is well below the time that the engine leaves a gate to report (health.NewGate).
const openLimit = loginLimit + 5*time.Second

// Open is a lease of a tunnel, which is started where it is not there; nil where the spec has none. key is what remote.Dialer takes. The error
// says why the jump host cannot be logged in to, or who has the port.
func Open(ctx context.Context, spec Spec, key []byte) (*Lease, error) {
	return open(ctx, spec, func(ctx context.Context) error { return start(ctx, spec, key) })
}

// open is Open with the way to start one.
func open(ctx context.Context, spec Spec, start func(context.Context) error) (*Lease, error) {
	if !spec.There() {
		return nil, nil //nolint:nilnil // no tunnel, and nothing to hold
	}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	digest, err := spec.digest()
	if err != nil {
		return nil, err
	}
	lease, found, err := greet(ctx, spec.Address())
	if err == nil && found.Digest != digest {
		err = lease.replace(ctx, spec, found)
	}
	if errors.Is(err, errAbsent) {
		if err = start(ctx); err == nil {
			lease, found, err = greet(ctx, spec.Address())
		}
	}
	if err == nil && found.Digest != digest {
		err = taken(spec, found)
	}
	if err != nil {
		lease.Close()
		return nil, fmt.Errorf("tunnel to what only jump host %s reaches: %w", spec.last(), err)
	}
	return lease, nil
}

// replace ends a tunnel that leads elsewhere and that nothing uses: an earlier way of this stack, or another stack that is done. Its error is
// errAbsent when the port is free.
func (l *Lease) replace(ctx context.Context, spec Spec, found answer) error {
	if found.Uses > 0 {
		return taken(spec, found)
	}
	if _, err := l.conn.Write([]byte(endLine)); err != nil {
		return err
	}
	l.wait()
	var free error
	err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var listener net.Listener
		if listener, free = new(net.ListenConfig).Listen(ctx, "tcp", spec.Address()); free != nil {
			return false, nil
		}
		return true, listener.Close()
	})
	if err != nil {
		return errors.Join(err, free)
	}
	return errAbsent
}

func taken(spec Spec, found answer) error {
	return fmt.Errorf("port %d of this machine has a tunnel to %s, which is in use; each stack needs a port of its own: strata:hosts.ssh.dynamicForward", spec.Port, found.Last)
}

// Keep is Open until ctx ends: a tunnel that ends meanwhile is opened again, and warn is told where that fails.
func Keep(ctx context.Context, spec Spec, key []byte, warn func(string)) error {
	lease, err := Open(ctx, spec, key)
	if err != nil || lease == nil {
		return err
	}
	go func() {
		for ctx.Err() == nil {
			stop := context.AfterFunc(ctx, lease.Close)
			lease.wait()
			stop()
			lease.Close()
			lease = again(ctx, spec, key, warn)
		}
		lease.Close()
	}()
	return nil
}

// again opens a tunnel that was lost; nil when ctx has ended.
func again(ctx context.Context, spec Spec, key []byte, warn func(string)) (lease *Lease) {
	told := ""
	_ = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) { // its only error is the end of ctx
		opened, err := Open(ctx, spec, key)
		if err != nil && ctx.Err() == nil && err.Error() != told {
			told = err.Error()
			warn(told)
		}
		lease = opened
		return err == nil, nil
	})
	return lease
}
